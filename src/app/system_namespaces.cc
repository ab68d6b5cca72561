#include "app/system_namespaces.h"

#include "api/generated/core_v1.h"
#include "app/gathering.h"
#include "app/server_user.h"

namespace keelson::app {
namespace {

constexpr std::string_view kSystemNamespaces[] = {"kube-system", "kube-public", "kube-node-lease", "default"};

api::Doc MakeNamespace(std::string_view name) {
  api::Doc doc(api::core_v1::NamespaceView::Type());
  api::core_v1::NamespaceEditor editor(doc);
  editor.set_kind_static("Namespace");
  editor.set_api_version_static("v1");
  editor.mutable_metadata().set_name(name);
  return doc;
}

base::Task<Gathering::Done> Ensure(registry::Store& namespaces, std::string_view name) {
  const auto found = co_await namespaces.Get("", std::string(name), {});
  if (found) co_return Gathering::Done();
  registry::rest::WriteRequest request{.user = &ServerUser()};
  api::Doc doc = MakeNamespace(name);
  const auto created = co_await namespaces.Create(std::move(request), std::move(doc));
  // Another server on the same store may have been faster.
  if (!created && created.error().reason != "AlreadyExists")
    co_return base::Err("cannot create namespace " + std::string(name) + ": " + created.error().message);
  co_return Gathering::Done();
}

}  // namespace

base::Task<base::Result<void, std::string>> EnsureSystemNamespaces(registry::Store& namespaces) {
  Gathering all;
  for (const std::string_view name : kSystemNamespaces) all.Start(Ensure(namespaces, name));
  co_return co_await all.Wait();
}

}  // namespace keelson::app
