#include "app/measured_rules.h"

#include <array>
#include <chrono>
#include <utility>

namespace keelson::app {
namespace {

using std::chrono::steady_clock;

constexpr std::array<double, 11> kUsualBounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

void ObserveSince(steady_clock::time_point start, base::Histogram& durations) {
  durations.Observe(std::chrono::duration<double>(steady_clock::now() - start).count());
}

class MeasuredChecker final : public extensions::RuleChecker {
 public:
  MeasuredChecker(std::unique_ptr<const RuleChecker> checker, base::Histogram& durations)
      : checker_(std::move(checker)), durations_(durations) {}

  api::field::ErrorList Check(const api::StructNode& now, const api::StructNode* was,
                              std::vector<std::string>* warnings) const override {
    const auto start = steady_clock::now();
    auto errors = checker_->Check(now, was, warnings);
    ObserveSince(start, durations_);
    return errors;
  }

 private:
  const std::unique_ptr<const RuleChecker> checker_;
  base::Histogram& durations_;
};

}  // namespace

extensions::MakeRuleChecker MeasuredRules(extensions::MakeRuleChecker make, base::Metrics& metrics) {
  base::Histogram& compilations =
      metrics.GetHistogram("apiserver_cel_compilation_duration_seconds",
                           "How long the rules of a schema took to compile.", kUsualBounds);
  base::Histogram& evaluations =
      metrics.GetHistogram("apiserver_cel_evaluation_duration_seconds",
                           "How long the rules of a schema took to evaluate for an object.", kUsualBounds);
  return [make = std::move(make), &compilations, &evaluations](
             const extensions::SchemaTree& tree) -> std::unique_ptr<const extensions::RuleChecker> {
    const auto start = steady_clock::now();
    auto checker = make(tree);
    ObserveSince(start, compilations);
    if (!checker) return nullptr;
    return std::make_unique<MeasuredChecker>(std::move(checker), evaluations);
  };
}

}  // namespace keelson::app
