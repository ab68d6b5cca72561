// The metrics of one authorization webhook, under upstream's names.
#pragma once

#include <chrono>
#include <string>

#include "base/metrics.h"

namespace keelson::auth {

class WebhookMetrics {
 public:
  enum class Result : uint8_t { kSuccess, kError, kTimeout };

  // `metrics` must outlive it.
  WebhookMetrics(base::Metrics& metrics, const std::string& name)
      : trips_{Trips(metrics, name, "success"), Trips(metrics, name, "error"),
               Trips(metrics, name, "timeout")},
        condition_seconds_(metrics.GetHistogram(
            "apiserver_authorization_match_condition_evaluation_seconds",
            "Authorization match condition evaluation time in seconds, split by authorizer type and name.",
            kConditionBounds, {{"type", "Webhook"}, {"name", name}})),
        condition_errors_(
            metrics.GetCounter("apiserver_authorization_match_condition_evaluation_errors_total",
                               "Total number of errors when an authorization webhook encounters a match "
                               "condition error split by authorizer type and name.",
                               {{"type", "Webhook"}, {"name", name}})),
        exclusions_(metrics.GetCounter(
            "apiserver_authorization_match_condition_exclusions_total",
            "Total number of exclusions when an authorization webhook is skipped because match "
            "conditions exclude it.",
            {{"type", "Webhook"}, {"name", name}})) {}

  void CountTrip(Result result, std::chrono::nanoseconds took) {
    Trips& trips = trips_[static_cast<size_t>(result)];
    trips.count.Add();
    trips.seconds.Observe(std::chrono::duration<double>(took).count());
  }
  // A failure that leaves the decision to others.
  void CountFailOpen(Result result) { trips_[static_cast<size_t>(result)].fail_open.Add(); }
  void CountConditions(std::chrono::nanoseconds took, bool failed, bool excluded) {
    condition_seconds_.Observe(std::chrono::duration<double>(took).count());
    if (failed) condition_errors_.Add();
    if (excluded) exclusions_.Add();
  }

 private:
  static constexpr double kTripBounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
  static constexpr double kConditionBounds[] = {0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25};

  struct Trips {
    Trips(base::Metrics& metrics, const std::string& name, const char* result)
        : count(metrics.GetCounter("apiserver_authorization_webhook_evaluations_total",
                                   "Round-trips to authorization webhooks.",
                                   {{"name", name}, {"result", result}})),
          seconds(metrics.GetHistogram("apiserver_authorization_webhook_duration_seconds",
                                       "Request latency in seconds.", kTripBounds,
                                       {{"name", name}, {"result", result}})),
          fail_open(metrics.GetCounter("apiserver_authorization_webhook_evaluations_fail_open_total",
                                       "NoOpinion results due to webhook timeout or error.",
                                       {{"name", name}, {"result", result}})) {}
    base::Counter& count;
    base::Histogram& seconds;
    base::Counter& fail_open;
  };

  Trips trips_[3];  // by Result
  base::Histogram& condition_seconds_;
  base::Counter& condition_errors_;
  base::Counter& exclusions_;
};

}  // namespace keelson::auth
