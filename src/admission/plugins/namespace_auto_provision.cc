#include "admission/plugins/namespace_auto_provision.h"

#include <string>

#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

constexpr int kAlreadyExistsCode = 409;

}  // namespace

Concern NamespaceAutoProvision::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.mutates = resource.namespaced};
}

base::Task<Verdict> NamespaceAutoProvision::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate || request.dry_run || request.ns.empty()) co_return Verdict();
  const auto state = co_await namespaces_.Find(request.ns);
  if (!state) co_return Refuse(request, state.error().message);
  if (*state != NamespaceState::kAbsent) co_return Verdict();

  api::Doc doc(api::core_v1::NamespaceView::Type());
  api::core_v1::NamespaceEditor(doc).mutable_metadata().set_name(request.ns);
  const auto created = co_await objects_.Create({"", "namespaces"}, "", std::move(doc));
  // Somebody else may have been quicker.
  if (!created && created.error().code != kAlreadyExistsCode)
    co_return Refuse(request, created.error().message);
  co_return Verdict();
}

}  // namespace keelson::admission
