#include "registry/core/disruption_budget.h"

#include <string>

#include "api/meta/object_meta.h"

namespace keelson::registry::core {
namespace {

using api::policy_v1::PodDisruptionBudgetEditor;
using api::policy_v1::PodDisruptionBudgetView;

constexpr std::string_view kWouldViolate =
    "Cannot evict pod as it would violate the pod's disruption budget.";
constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";
// Evictions that the budget's controller has not seen yet.
constexpr size_t kMaxDisruptedPods = 2000;
constexpr int32_t kRetryAfterSeconds = 10;

api::Status Refusal(int32_t retry_after_seconds, std::string cause) {
  api::Status status = api::TooManyRequests(kWouldViolate, retry_after_seconds);
  if (!status.details) status.details.emplace();
  status.details->causes.push_back({.reason = "DisruptionBudget", .message = std::move(cause)});
  return status;
}

// Why no disruption is allowed.
std::string Reason(PodDisruptionBudgetView budget) {
  const auto status = budget.status();
  const std::string head = "The disruption budget " + std::string(budget.metadata().name());
  std::string not_now = head + " does not allow evicting pods currently";
  api::meta_v1::ConditionView condition;
  for (auto c : status.conditions())
    if (c.type() == kDisruptionAllowed) condition = c;
  const bool told = condition.status() == "False" && !condition.message().empty();
  // Its numbers mean nothing when they could not be found out.
  if (told && condition.reason() == "SyncFailed")
    return not_now + " because it failed sync: " + std::string(condition.message());
  if (status.current_healthy() <= status.desired_healthy())
    return head + " needs " + std::to_string(status.desired_healthy()) + " healthy pods and has " +
           std::to_string(status.current_healthy()) + " currently";
  if (told)
    return not_now + " (" + std::string(condition.reason()) + "): " + std::string(condition.message());
  return not_now;
}

void SetInsufficient(api::policy_v1::PodDisruptionBudgetStatusEditor status, const base::Clock& clock) {
  auto set = [&](api::meta_v1::ConditionEditor condition) {
    if (condition.status() != "False") {
      condition.set_status_static("False");
      condition.set_last_transition_time(api::NowSeconds(clock));
    }
    condition.set_reason_static("InsufficientPods");
    condition.clear_message();
    condition.set_observed_generation(status.observed_generation());
  };
  for (auto condition : status.edit_conditions())
    if (condition.type() == kDisruptionAllowed) return set(condition);
  auto added = status.add_conditions();
  added.set_type_static(kDisruptionAllowed);
  set(added);
}

}  // namespace

bool SparesUnready(PodDisruptionBudgetView budget) {
  if (budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow") return true;
  // What the budget guards is not disrupted, and an unready pod is no part of that.
  const auto status = budget.status();
  return status.current_healthy() >= status.desired_healthy() && status.desired_healthy() > 0;
}

api::Status StillProcessed(std::string_view budget) {
  return Refusal(kRetryAfterSeconds,
                 "The disruption budget " + std::string(budget) + " is still being processed by the server.");
}

api::Status ManyBudgets() {
  api::Status status;
  status.code = 500;
  status.message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  return status;
}

rest::Result<api::Doc> WithOneDisruptionLess(const api::Doc& budget, std::string_view pod,
                                             const base::Clock& clock) {
  const PodDisruptionBudgetView was(budget);
  const std::string_view name = was.metadata().name();
  const auto status = was.status();
  constexpr api::GroupResource kBudget{"policy", "poddisruptionbudget"};
  if (status.observed_generation() < was.metadata().generation()) return base::Err(StillProcessed(name));
  if (status.disruptions_allowed() < 0)
    return base::Err(api::Forbidden(kBudget, name, "pdb disruptions allowed is negative"));
  if (status.disrupted_pods().size() > kMaxDisruptedPods)
    return base::Err(api::Forbidden(
        kBudget, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller"));
  if (status.disruptions_allowed() == 0) return base::Err(Refusal(0, Reason(was)));

  api::Doc doc = budget.Clone();
  auto now = PodDisruptionBudgetEditor(doc).mutable_status();
  now.set_disruptions_allowed(status.disruptions_allowed() - 1);
  if (now.disruptions_allowed() == 0) SetInsufficient(now, clock);
  // Tells the controller not to count this pod, although it is still there.
  now.mutable_disrupted_pods().Set(doc.arena().CopyString(pod), api::Value::Int(api::NowSeconds(clock)),
                                   doc.arena());
  return doc;
}

}  // namespace keelson::registry::core
