#include "server/filters/authorization_metrics.h"

#include "server/filters/filter_durations.h"

namespace keelson::server {
namespace {

constexpr std::string_view kDecisionNames[] = {"allowed", "denied", "no-opinion", "error"};

}  // namespace

AuthorizationMetrics::AuthorizationMetrics(base::Metrics& metrics) {
  for (size_t i = 0; i < kResults; ++i) {
    const base::Labels labels = {{"result", std::string(kDecisionNames[i])}};
    attempts_[i] = &metrics.GetCounter("authorization_attempts_total",
                                       "Requests that were authorized or not, by result.", labels);
    durations_[i] =
        &metrics.GetHistogram("authorization_duration_seconds",
                              "How long it took to find out whether a request is allowed, by result.",
                              kFilterDurationBounds, labels);
  }
}

void AuthorizationMetrics::Finished(const auth::Verdict& verdict, std::chrono::nanoseconds took) const {
  const Result result = verdict.decision == auth::Decision::kAllow  ? kAllowed
                        : !verdict.error.empty()                    ? kError
                        : verdict.decision == auth::Decision::kDeny ? kDenied
                                                                    : kNoOpinion;
  attempts_[result]->Add();
  durations_[result]->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace keelson::server
