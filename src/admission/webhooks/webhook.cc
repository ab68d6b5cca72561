#include "admission/webhooks/webhook.h"

#include <algorithm>

#include "admission/webhooks/review_document.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {

using namespace api::admissionregistration_v1;

namespace {

constexpr int32_t kDefaultTimeoutSeconds = 10;

}  // namespace

WebhookTarget TargetOf(WebhookClientConfigView config) {
  WebhookTarget target{.ca_bundle = std::string(config.ca_bundle())};
  if (const auto service = config.service()) {
    target.service_namespace = service.namespace_();
    target.service_name = service.name();
    target.service_path = service.path();
    if (service.port() > 0) target.service_port = static_cast<uint16_t>(service.port());
  } else {
    target.url = config.url();
  }
  return target;
}

template <class View>
Webhook::Webhook(View view, std::string configuration, std::shared_ptr<Breaker> breaker)
    : name_(view.name()),
      configuration_(std::move(configuration)),
      rules_(view.rules()),
      namespace_selector_(view.namespace_selector()),
      object_selector_(view.object_selector()),
      exactly_(view.match_policy() != "Equivalent"),
      ignores_(view.failure_policy() == "Ignore"),
      dry_run_(view.side_effects() == "None" || view.side_effects() == "NoneOnDryRun"),
      timeout_(view.timeout_seconds() > 0 ? view.timeout_seconds() : kDefaultTimeoutSeconds),
      review_version_(FirstKnownVersion(view.admission_review_versions())),
      target_(TargetOf(view.client_config())),
      breaker_(std::move(breaker)) {
  if constexpr (requires { view.reinvocation_policy(); })
    reinvocable_ = view.reinvocation_policy() == "IfNeeded";
  for (const auto condition : view.match_conditions())
    conditions_.push_back(CompiledExpression::Of(
        condition.expression(),
        compiler_.Compile(condition.expression(), cel::AdmissionUse::kMatchCondition, {})));
}

base::Task<client::Result<WebhookSet::Ptr>> WebhookSet::Current(const client::Client& objects) const {
  auto docs = CO_TRY(co_await objects.List({kGroup, PluralOf(kind_)}));
  if (docs->empty()) co_return Ptr();
  co_return Of(std::move(docs));
}

WebhookSet::Ptr WebhookSet::Of(client::Client::Docs docs) const {
  const base::MutexLock lock(mu_);
  if (compiled_ && compiled_->docs == docs) return compiled_;
  auto now = std::make_shared<Compiled>();
  now->docs = std::move(docs);
  for (const api::Doc& doc : *now->docs) {
    auto configuration = Known(doc);
    now->configurations.push_back(configuration ? std::move(configuration) : Make(doc));
  }
  compiled_ = std::move(now);
  return compiled_;
}

std::shared_ptr<const WebhookSet::Configuration> WebhookSet::Known(const api::Doc& doc) const {
  if (!compiled_) return nullptr;
  const auto metadata = api::MetadataOf(doc);
  for (const auto& known : compiled_->configurations) {
    const auto was = api::MetadataOf(known->doc);
    if (was.uid() == metadata.uid() && was.resource_version() == metadata.resource_version()) return known;
  }
  return nullptr;
}

std::shared_ptr<const WebhookSet::Configuration> WebhookSet::Make(const api::Doc& doc) const {
  auto made = std::make_shared<Configuration>();
  made->doc = doc.Clone();
  kind_ == Kind::kMutating ? AddWebhooks<MutatingWebhookConfigurationView>(*made)
                           : AddWebhooks<ValidatingWebhookConfigurationView>(*made);
  return made;
}

template <class ConfigurationView>
void WebhookSet::AddWebhooks(Configuration& to) const {
  const ConfigurationView view(to.doc);
  const std::string name(view.metadata().name());
  for (const auto webhook : view.webhooks())
    to.webhooks.push_back(std::make_unique<const Webhook>(
        webhook, name, BreakerFor(name, std::string(webhook.name()), TargetOf(webhook.client_config()))));
}

std::shared_ptr<Breaker> WebhookSet::BreakerFor(const std::string& configuration, const std::string& name,
                                                const WebhookTarget& target) const {
  if (compiled_)
    for (const auto& known : compiled_->configurations)
      for (const auto& webhook : known->webhooks)
        if (webhook->configuration() == configuration && webhook->name() == name &&
            webhook->target() == target)
          return webhook->breaker();
  return make_breaker_(configuration, name);
}

}  // namespace keelson::admission
