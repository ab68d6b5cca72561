#include "admission/policies/metrics.h"

#include <array>

#include "cel/budgets.h"

namespace keelson::admission {
namespace {

constexpr std::array<double, 5> kCheckBounds{0.0000005, 0.001, 0.01, 0.1, 1};

// By how the text begins, as upstream tells them apart; a validation that does not hold is invalid, too.
std::string_view ErrorType(std::string_view failure) {
  if (failure.empty()) return "no_error";
  if (failure.starts_with("compilation")) return "compile_error";
  return failure.starts_with(cel::kOutOfBudget) ? "out_of_budget" : "invalid_error";
}

}  // namespace

PolicyMetrics::PolicyMetrics(base::Metrics* metrics, std::string_view kind)
    : metrics_(metrics), prefix_("apiserver_" + std::string(kind) + "_admission_policy_check_") {}

void PolicyMetrics::Checked(std::string_view policy, std::string_view binding, std::string_view failure,
                            std::string_view action, std::chrono::nanoseconds took) const {
  if (!metrics_) return;
  base::Labels labels;
  if (!action.empty()) labels.emplace_back("enforcement_action", action);
  labels.emplace_back("error_type", ErrorType(failure));
  labels.emplace_back("policy", policy);
  labels.emplace_back("policy_binding", binding);
  metrics_
      ->GetCounter(prefix_ + "total", "Evaluations of expressions of policies, by what came of them.", labels)
      .Add();
  metrics_
      ->GetHistogram(prefix_ + "duration_seconds", "How long expressions of policies took.", kCheckBounds,
                     std::move(labels))
      .Observe(std::chrono::duration<double>(took).count());
}

}  // namespace keelson::admission
