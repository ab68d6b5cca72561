// Webhook: one webhook of a configuration, compiled; WebhookSet: all of those that a plug-in asks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policies/evaluation.h"
#include "admission/webhooks/breaker.h"
#include "admission/webhooks/metrics.h"
#include "admission/webhooks/sender.h"
#include "api/generated/admissionregistration_v1.h"
#include "base/mutex.h"
#include "client/client.h"

namespace keelson::admission {

// Immutable but for its breaker and its series. Threads: any. Borrows the document of its configuration.
class Webhook {
 public:
  using RuleView = api::admissionregistration_v1::RuleWithOperationsView;

  // `View`: MutatingWebhookView or ValidatingWebhookView.
  template <class View>
  Webhook(View view, std::string configuration, std::shared_ptr<Breaker> breaker);

  const std::string& name() const { return name_; }
  const std::string& configuration() const { return configuration_; }
  std::string Key() const { return configuration_ + "/" + name_; }
  api::ListView<RuleView> rules() const { return rules_; }
  api::meta_v1::LabelSelectorView namespace_selector() const { return namespace_selector_; }
  api::meta_v1::LabelSelectorView object_selector() const { return object_selector_; }
  bool exactly() const { return exactly_; }           // matchPolicy: Exact
  bool ignores_failures() const { return ignores_; }  // failurePolicy: Ignore
  bool reinvocable() const { return reinvocable_; }   // reinvocationPolicy: IfNeeded
  bool supports_dry_run() const { return dry_run_; }  // it has no side effects then
  std::chrono::seconds timeout() const { return timeout_; }
  // Of AdmissionReview, the first that both know; empty: there is none.
  std::string_view review_version() const { return review_version_; }
  const WebhookTarget& target() const { return target_; }
  const std::vector<CompiledExpression>& conditions() const { return conditions_; }
  const std::shared_ptr<Breaker>& breaker() const { return breaker_; }
  WebhookSeries& series() const { return series_; }

 private:
  const std::string name_, configuration_;
  const api::ListView<RuleView> rules_;
  const api::meta_v1::LabelSelectorView namespace_selector_, object_selector_;
  const bool exactly_, ignores_, dry_run_;
  bool reinvocable_ = false;
  const std::chrono::seconds timeout_;
  std::string review_version_;
  WebhookTarget target_;
  cel::AdmissionCompiler compiler_{false};
  std::vector<CompiledExpression> conditions_;
  const std::shared_ptr<Breaker> breaker_;
  mutable WebhookSeries series_;
};

// Where the webhook of a client configuration is.
WebhookTarget TargetOf(api::admissionregistration_v1::WebhookClientConfigView config);

// The webhooks of all configurations of one kind, in the order of the configurations' names. Made again only
// when the list of configurations has changed, and of that only what has. Threads: any.
class WebhookSet {
 public:
  struct Configuration {
    api::Doc doc;
    std::vector<std::unique_ptr<const Webhook>> webhooks;
  };
  struct Compiled {
    client::Client::Docs docs;
    std::vector<std::shared_ptr<const Configuration>> configurations;
  };
  using Ptr = std::shared_ptr<const Compiled>;

  using MakeBreaker =
      std::function<std::shared_ptr<Breaker>(const std::string& configuration, const std::string& name)>;
  enum class Kind : uint8_t { kMutating, kValidating };
  static constexpr std::string_view kGroup = "admissionregistration.k8s.io";
  static constexpr std::string_view PluralOf(Kind kind) {
    return kind == Kind::kMutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  }
  WebhookSet(Kind kind, MakeBreaker make_breaker) : kind_(kind), make_breaker_(std::move(make_breaker)) {}

  // All that this server has acknowledged. Null: there are none.
  base::Task<client::Result<Ptr>> Current(const client::Client& objects) const;

 private:
  Ptr Of(client::Client::Docs docs) const;
  std::shared_ptr<const Configuration> Known(const api::Doc& doc) const REQUIRES_LOCK(mu_);
  std::shared_ptr<const Configuration> Make(const api::Doc& doc) const REQUIRES_LOCK(mu_);
  template <class ConfigurationView>
  void AddWebhooks(Configuration& to) const REQUIRES_LOCK(mu_);
  // That of the same webhook at the same place before, or a new one.
  std::shared_ptr<Breaker> BreakerFor(const std::string& configuration, const std::string& name,
                                      const WebhookTarget& target) const REQUIRES_LOCK(mu_);

  const Kind kind_;
  const MakeBreaker make_breaker_;
  mutable base::Mutex mu_;
  mutable Ptr compiled_ GUARDED_BY(mu_);
};

}  // namespace keelson::admission
