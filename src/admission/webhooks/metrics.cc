#include "admission/webhooks/metrics.h"

#include <algorithm>

namespace keelson::admission {
namespace {

constexpr double kBounds[] = {0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10, 25};
constexpr int32_t kAllowedCode = 200;
constexpr int32_t kLargestCode = 600;  // so that no webhook makes any number of series

std::string CodeText(int32_t code) { return std::to_string(std::clamp(code, 0, kLargestCode)); }
std::string BoolText(bool b) { return b ? "true" : "false"; }

}  // namespace

WebhookMetrics::WebhookMetrics(base::Metrics* metrics, std::string type)
    : metrics_(metrics), type_(std::move(type)) {
  if (!metrics_) return;
  missing_names_ =
      &metrics_->GetCounter("apiserver_webhooks_x509_missing_san_total",
                            "Calls of webhooks whose certificate names the server in its common name alone.");
  signed_with_sha1_ = &metrics_->GetCounter("apiserver_webhooks_x509_insecure_sha1_total",
                                            "Calls of webhooks whose certificate is signed with SHA-1.");
}

void WebhookMetrics::MissesNames() const {
  if (missing_names_) missing_names_->Add();
}

void WebhookMetrics::SignedWithSha1() const {
  if (signed_with_sha1_) signed_with_sha1_->Add();
}

void WebhookMetrics::Called(const std::string& name, WebhookSeries& series, Operation operation,
                            std::chrono::nanoseconds took, int32_t code, bool rejected) const {
  if (!metrics_) return;
  const double seconds = std::chrono::duration<double>(took).count();
  if (rejected || code != kAllowedCode) {
    Calls(name, operation, code, rejected).Add();
    Durations(name, operation, rejected).Observe(seconds);
    return;
  }
  auto& [calls, durations] = series.allowed[static_cast<size_t>(operation)];
  if (!calls.load(std::memory_order_acquire)) {
    durations.store(&Durations(name, operation, rejected), std::memory_order_release);
    calls.store(&Calls(name, operation, code, rejected), std::memory_order_release);
  }
  calls.load(std::memory_order_relaxed)->Add();
  durations.load(std::memory_order_relaxed)->Observe(seconds);
}

base::Counter& WebhookMetrics::Calls(const std::string& name, Operation operation, int32_t code,
                                     bool rejected) const {
  return metrics_->GetCounter(
      "apiserver_admission_webhook_request_total",
      "Calls of admission webhooks, by name, type, operation, status and whether the request was rejected.",
      {{"code", CodeText(code)},
       {"name", name},
       {"operation", std::string(NameOf(operation))},
       {"rejected", BoolText(rejected)},
       {"type", type_}});
}

base::Histogram& WebhookMetrics::Durations(const std::string& name, Operation operation,
                                           bool rejected) const {
  return metrics_->GetHistogram("apiserver_admission_webhook_admission_duration_seconds",
                                "How long calls of admission webhooks took, by name, type and operation.",
                                kBounds,
                                {{"name", name},
                                 {"operation", std::string(NameOf(operation))},
                                 {"rejected", BoolText(rejected)},
                                 {"type", type_}});
}

void WebhookMetrics::Rejected(const std::string& name, Operation operation, std::string_view error,
                              int32_t code) const {
  if (!metrics_) return;
  metrics_
      ->GetCounter(
          "apiserver_admission_webhook_rejection_count",
          "Requests that admission webhooks rejected, or that failed because they could not be asked.",
          {{"error_type", std::string(error)},
           {"name", name},
           {"operation", std::string(NameOf(operation))},
           {"rejection_code", CodeText(code)},
           {"type", type_}})
      .Add();
}

void WebhookMetrics::FailedOpen(const std::string& name) const {
  if (!metrics_) return;
  metrics_
      ->GetCounter("apiserver_admission_webhook_fail_open_count",
                   "Requests that went on although an admission webhook could not be asked.",
                   {{"name", name}, {"type", type_}})
      .Add();
}

void WebhookMetrics::Excluded(const std::string& name, Operation operation) const {
  if (!metrics_) return;
  metrics_
      ->GetCounter("apiserver_admission_match_condition_exclusions_total",
                   "Requests that match conditions kept from an admission webhook.",
                   {{"kind", "webhook"},
                    {"name", name},
                    {"operation", std::string(NameOf(operation))},
                    {"type", ConditionType()}})
      .Add();
}

void WebhookMetrics::ConditionsFailed(const std::string& name, Operation operation) const {
  if (!metrics_) return;
  metrics_
      ->GetCounter("apiserver_admission_match_condition_evaluation_errors_total",
                   "Requests for which match conditions of an admission webhook could not be evaluated.",
                   {{"kind", "webhook"},
                    {"name", name},
                    {"operation", std::string(NameOf(operation))},
                    {"type", ConditionType()}})
      .Add();
}

void WebhookMetrics::Spared(const std::string& name) const {
  if (!metrics_) return;
  metrics_
      ->GetCounter("keelson_admission_webhook_spared_total",
                   "Requests for which an admission webhook was not asked, since it keeps timing out.",
                   {{"name", name}, {"type", type_}})
      .Add();
}

base::Gauge* WebhookMetrics::BreakerOpen(const std::string& configuration, const std::string& name) const {
  if (!metrics_) return nullptr;
  return &metrics_->GetGauge("keelson_admission_webhook_breaker_open",
                             "1 while an admission webhook is not asked, since it keeps timing out.",
                             {{"configuration", configuration}, {"name", name}, {"type", type_}});
}

}  // namespace keelson::admission
