#include "bootstrap/namespaces.h"

#include "api/generated/core_v1.h"
#include "base/gathering.h"

namespace keelson::bootstrap {
namespace {

constexpr client::Resource kNamespaces{"", "namespaces"};
constexpr std::string_view kSystemNamespaces[] = {"kube-system", "kube-public", "kube-node-lease", "default"};

api::Doc MakeNamespace(std::string_view name) {
  api::Doc doc(api::core_v1::NamespaceView::Type());
  api::core_v1::NamespaceEditor editor(doc);
  editor.set_kind_static("Namespace");
  editor.set_api_version_static("v1");
  editor.mutable_metadata().set_name(name);
  return doc;
}

}  // namespace

base::Task<Done> EnsureNamespaces(const client::Client& client) {
  base::Gathering all;
  for (const std::string_view name : kSystemNamespaces)
    all.Start(CreateIfAbsent(client, kNamespaces, MakeNamespace(name)));
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
