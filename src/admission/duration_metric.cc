#include "admission/duration_metric.h"

#include <utility>

namespace keelson::admission {
namespace {

constexpr double kDurationBounds[] = {0.005, 0.025, 0.1, 0.5, 1.0, 2.5};

}  // namespace

DurationMetric::DurationMetric(base::Metrics* metrics, std::string_view name, std::string_view type)
    : metrics_(metrics), name_(name), type_(type) {}

void DurationMetric::Observe(Operation operation, bool rejected, std::chrono::nanoseconds took) const {
  auto& slot = series_[static_cast<size_t>(operation) * 2 + (rejected ? 1 : 0)];
  base::Histogram* series = slot.load(std::memory_order_acquire);
  if (!series) {
    series = &Make(operation, rejected);
    slot.store(series, std::memory_order_release);
  }
  series->Observe(std::chrono::duration<double>(took).count());
}

base::Histogram& DurationMetric::Make(Operation operation, bool rejected) const {
  base::Labels labels{{"operation", std::string(NameOf(operation))},
                      {"rejected", rejected ? "true" : "false"},
                      {"type", type_}};
  if (name_.empty())
    return metrics_->GetHistogram(
        "apiserver_admission_step_admission_duration_seconds",
        "How long all plug-ins took that change (admit) or check (validate) a request, by operation.",
        kDurationBounds, std::move(labels));
  labels.insert(labels.begin(), {"name", name_});
  return metrics_->GetHistogram(
      "apiserver_admission_controller_admission_duration_seconds",
      "How long an admission plug-in took to change (admit) or check (validate) a request, by operation.",
      kDurationBounds, std::move(labels));
}

}  // namespace keelson::admission
