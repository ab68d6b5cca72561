#include "admission/plugins/namespace_lifecycle.h"

#include <algorithm>

namespace keelson::admission {
namespace {

constexpr api::GroupResource kNamespaces{"", "namespaces"};
constexpr std::string_view kImmortal[] = {"default", "kube-system", "kube-public"};

Verdict AdmitContent(const Attributes& request, NamespaceState state) {
  if (state == NamespaceState::kAbsent) return base::Err(api::NotFound(kNamespaces, request.ns));
  if (state == NamespaceState::kActive || request.operation != Operation::kCreate) return {};
  const std::string in(request.ns);
  Verdict refused =
      Refuse(request, "unable to create new content in namespace " + in + " because it is being terminated");
  refused.error().details->causes.push_back(
      {"NamespaceTerminating", "namespace " + in + " is being terminated", "metadata.namespace"});
  return refused;
}

}  // namespace

Concern NamespaceLifecycle::ConcernWith(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  // What somebody may do in a namespace can be asked before it is there.
  if (Is(resource, subresource, {"authorization.k8s.io", "localsubjectaccessreviews"})) return {};
  return {.mutates = resource.namespaced || Is(resource, subresource, kNamespaces)};
}

base::Task<Verdict> NamespaceLifecycle::Mutate(Attributes request) const {
  const bool deletes = request.operation == Operation::kDelete;
  if (!request.resource->namespaced) {
    if (deletes && std::ranges::find(kImmortal, request.name) != std::end(kImmortal))
      co_return Refuse(request, "this namespace may not be deleted");
    co_return Verdict();
  }
  if (deletes || request.operation == Operation::kConnect) co_return Verdict();
  const auto state = CO_TRY(co_await namespaces_.Find(request.ns));
  co_return AdmitContent(request, state);
}

}  // namespace keelson::admission
