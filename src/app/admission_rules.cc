#include "app/admission_rules.h"

#include <memory>
#include <utility>

namespace keelson::app {
namespace {

admission::Operation OperationOf(registry::Operation operation) {
  switch (operation) {
    case registry::Operation::kCreate: return admission::Operation::kCreate;
    case registry::Operation::kUpdate: return admission::Operation::kUpdate;
    case registry::Operation::kDelete: return admission::Operation::kDelete;
  }
  std::unreachable();
}

admission::Request RequestOf(const registry::AdmissionRequest& r) {
  return {.operation = OperationOf(r.operation),
          .resource = r.resource,
          .subresource = r.subresource,
          .ns = r.ns,
          .name = r.name,
          .user = r.user,
          .dry_run = r.dry_run,
          .object = r.object,
          .old_object = r.old_object,
          .warnings = r.warnings};
}

using Run = base::Task<admission::Verdict> (*)(const admission::Chain::Plugins&, admission::Request);

// Empty when there is nobody to ask.
registry::AdmissionFn Asking(admission::Chain::Plugins plugins, Run run) {
  if (plugins.empty()) return {};
  auto shared = std::make_shared<const admission::Chain::Plugins>(std::move(plugins));
  return [shared = std::move(shared), run](registry::AdmissionRequest request) {
    return run(*shared, RequestOf(request));
  };
}

}  // namespace

AdmissionRules::AdmissionRules(const client::Client& client, const AdmissionConfig& config,
                               auth::Authorizer* authorizer)
    : namespaces_(client),
      chain_(config.plugins,
             {.objects = &client,
              .namespaces = &namespaces_,
              .authorizer = authorizer,
              .not_ready_toleration_seconds = config.default_not_ready_toleration_seconds,
              .unreachable_toleration_seconds = config.default_unreachable_toleration_seconds}) {}

registry::Admission AdmissionRules::For(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  return {.mutate = Asking(chain_.Mutating(resource, subresource), &admission::Mutate),
          .validate = Asking(chain_.Validating(resource, subresource), &admission::Validate)};
}

}  // namespace keelson::app
