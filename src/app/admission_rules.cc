#include "app/admission_rules.h"

#include <memory>
#include <utility>

#include "app/image_reviews.h"
#include "app/webhook_sender.h"

namespace keelson::app {
namespace {

using Run = base::Task<admission::Verdict> (*)(const admission::Chain::Plugins&, admission::Attributes);

// Empty when there is nobody to ask.
admission::Hook Asking(admission::Chain::Plugins plugins, Run run) {
  if (plugins.empty()) return {};
  auto shared = std::make_shared<const admission::Chain::Plugins>(std::move(plugins));
  return [shared = std::move(shared), run](admission::Attributes request) { return run(*shared, request); };
}

}  // namespace

base::Result<AdmissionInputs, std::string> ReadAdmissionInputs(const AdmissionConfig& config,
                                                               net::outbound::Resolver& resolver) {
  const auto read = [&]() -> base::Result<AdmissionInputs, std::string> {
    AdmissionInputs inputs{
        .settings = TRY(admission::ReadSettings(config.control_config_file, config.plugins)),
        .resolver = &resolver};
    if (admission::RunsPlugin(config.plugins, "ImagePolicyWebhook"))
      inputs.image_reviewer = TRY(MakeImageReviewer(inputs.settings.image_policy, resolver));
    return inputs;
  };
  auto inputs = read();
  if (!inputs) return base::Err("failed to apply admission: " + inputs.error());
  return inputs;
}

AdmissionRules::AdmissionRules(const client::Client& client, const AdmissionConfig& config,
                               const AdmissionInputs& inputs, auth::Authorizer* authorizer,
                               const registry::Features& features, base::Metrics& metrics)
    : namespaces_(client),
      webhooks_(MakeWebhookSender({.objects = client,
                                   .resolver = *inputs.resolver,
                                   .to_endpoints = config.webhooks_to_endpoints,
                                   .proxy = inputs.proxy,
                                   .self = inputs.self})),
      chain_(config.plugins, {.objects = &client,
                              .namespaces = &namespaces_,
                              .authorizer = authorizer,
                              .not_ready_toleration_seconds = config.default_not_ready_toleration_seconds,
                              .unreachable_toleration_seconds = config.default_unreachable_toleration_seconds,
                              .settings = inputs.settings,
                              .image_reviewer = inputs.image_reviewer.get(),
                              .webhook_sender = webhooks_.get(),
                              .metrics = &metrics,
                              .pod_groups_have_priority = features.workload_aware_preemption,
                              .events = inputs.events}) {}

admission::Hooks AdmissionRules::For(const api::ResourceDesc& resource, std::string_view subresource) const {
  return {.mutate = Asking(chain_.Mutating(resource, subresource), &admission::Mutate),
          .validate = Asking(chain_.Validating(resource, subresource), &admission::Validate)};
}

}  // namespace keelson::app
