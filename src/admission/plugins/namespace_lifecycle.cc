#include "admission/plugins/namespace_lifecycle.h"

namespace keelson::admission {
namespace {

constexpr api::GroupResource kNamespaces{"", "namespaces"};
constexpr std::string_view kImmortal[] = {"default", "kube-system", "kube-public"};

}  // namespace

base::Result<void, api::Status> AdmitNamespaceDelete(std::string_view name) {
  for (const std::string_view immortal : kImmortal)
    if (name == immortal)
      return base::Err(api::Forbidden(kNamespaces, name, "this namespace may not be deleted"));
  return {};
}

base::Result<void, api::Status> AdmitNamespaceContent(bool creates, api::GroupResource resource,
                                                      std::string_view name, std::string_view ns,
                                                      NamespaceState state) {
  if (state == NamespaceState::kAbsent) return base::Err(api::NotFound(kNamespaces, ns));
  if (state == NamespaceState::kActive || !creates) return {};
  const std::string in(ns);
  api::Status status = api::Forbidden(
      resource, name, "unable to create new content in namespace " + in + " because it is being terminated");
  if (!status.details) status.details.emplace();
  status.details->causes.push_back(
      {"NamespaceTerminating", "namespace " + in + " is being terminated", "metadata.namespace"});
  return base::Err(std::move(status));
}

}  // namespace keelson::admission
