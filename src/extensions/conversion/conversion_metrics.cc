#include "extensions/conversion/conversion_metrics.h"

#include <array>
#include <utility>

namespace keelson::extensions {
namespace {

constexpr double kAskedBounds[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60};

// 1 ms, and twice the one before up to 16 s.
constexpr auto kConvertedBounds = [] {
  std::array<double, 15> bounds{};
  double bound = 0.001;
  for (double& each : bounds) {
    each = bound;
    bound *= 2;
  }
  return bounds;
}();

std::string FailureType(ConversionResult result) {
  switch (result) {
    case ConversionResult::kSuccess: return "";
    case ConversionResult::kCallFailure: return "conversion_webhook_call_failure";
    case ConversionResult::kMalformed: return "conversion_webhook_malformed_response_failure";
    case ConversionResult::kPartial: return "conversion_webhook_partial_response_failure";
    case ConversionResult::kInvalidConverted: return "conversion_webhook_invalid_converted_object_failure";
  }
  std::unreachable();
}

double SecondsOf(std::chrono::nanoseconds took) { return std::chrono::duration<double>(took).count(); }

}  // namespace

void ConversionMetrics::Asked(ConversionResult result, std::chrono::nanoseconds took) const {
  if (!metrics_) return;
  const base::Labels labels{{"failure_type", FailureType(result)},
                            {"result", result == ConversionResult::kSuccess ? "success" : "failure"}};
  metrics_
      ->GetCounter("apiserver_conversion_webhook_request_total",
                   "Reviews sent to conversion webhooks, by result and type of failure.", labels)
      .Add();
  metrics_
      ->GetHistogram("apiserver_conversion_webhook_duration_seconds",
                     "How long the answers of conversion webhooks took, by result and type of failure.",
                     kAskedBounds, labels)
      .Observe(SecondsOf(took));
}

void ConversionMetrics::Converted(std::string_view from, std::string_view to, bool succeeded,
                                  std::chrono::nanoseconds took) const {
  if (!metrics_) return;
  metrics_
      ->GetHistogram("apiserver_crd_conversion_webhook_duration_seconds",
                     "How long conversions by webhooks took, by definition, versions and success.",
                     kConvertedBounds,
                     {{"crd_name", definition_},
                      {"from_version", std::string(from)},
                      {"succeeded", succeeded ? "true" : "false"},
                      {"to_version", std::string(to)}})
      .Observe(SecondsOf(took));
}

base::Gauge* ConversionMetrics::BreakerOpen() const {
  if (!metrics_) return nullptr;
  return &metrics_->GetGauge("keelson_conversion_webhook_breaker_open",
                             "1 while a conversion webhook is not asked, since it keeps timing out.",
                             {{"crd_name", definition_}});
}

}  // namespace keelson::extensions
