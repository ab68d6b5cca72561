#include "admission/plugins/namespace_exists.h"

namespace keelson::admission {

Concern NamespaceExists::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.validates = resource.namespaced};
}

base::Task<Verdict> NamespaceExists::Validate(Attributes request) const {
  if (request.operation == Operation::kConnect || request.ns.empty()) co_return Verdict();
  const auto state = co_await namespaces_.Find(request.ns);
  if (!state) co_return base::Err(api::InternalError(state.error().message));
  if (*state == NamespaceState::kAbsent) co_return base::Err(api::NotFound({"", "namespaces"}, request.ns));
  co_return Verdict();
}

}  // namespace keelson::admission
