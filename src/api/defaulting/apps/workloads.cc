#include "api/defaulting/apps/workloads.h"

#include "api/defaulting/core/pod_defaults.h"
#include "api/generated/apps_v1.h"

namespace keelson::api::apps {
namespace {

using namespace apps_v1;

constexpr int32_t kReplicas = 1;
constexpr int32_t kRevisionHistoryLimit = 10;
constexpr int32_t kProgressDeadlineSeconds = 600;
constexpr std::string_view kRolloutShare = "25%";

template <class Spec>
void SetTemplateDefaults(Spec spec) {
  core::SetPodSpecDefaults(spec.mutable_template().mutable_spec());
}

template <class Spec>
void SetReplicas(Spec spec) {
  if (!spec.has_replicas()) spec.set_replicas(kReplicas);
}

template <class Spec>
void SetHistoryLimit(Spec spec) {
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(kRevisionHistoryLimit);
}

// Both bounds of a rolling update.
template <class RollingUpdate>
void SetBounds(RollingUpdate update, Value max_unavailable, Value max_surge) {
  if (!update.has_max_unavailable()) update.set_max_unavailable(max_unavailable);
  if (!update.has_max_surge()) update.set_max_surge(max_surge);
}

}  // namespace

void SetDeploymentDefaults(Doc& doc) {
  auto spec = DeploymentEditor(doc).mutable_spec();
  SetTemplateDefaults(spec);
  SetReplicas(spec);
  auto strategy = spec.mutable_strategy();
  if (strategy.type().empty()) strategy.set_type_static(DeploymentStrategyType::kRollingUpdate);
  if (strategy.type() == DeploymentStrategyType::kRollingUpdate)
    SetBounds(strategy.mutable_rolling_update(), Value::String(kRolloutShare), Value::String(kRolloutShare));
  SetHistoryLimit(spec);
  if (!spec.has_progress_deadline_seconds()) spec.set_progress_deadline_seconds(kProgressDeadlineSeconds);
}

void SetReplicaSetDefaults(Doc& doc) {
  auto spec = ReplicaSetEditor(doc).mutable_spec();
  SetTemplateDefaults(spec);
  SetReplicas(spec);
}

void SetDaemonSetDefaults(Doc& doc) {
  auto spec = DaemonSetEditor(doc).mutable_spec();
  SetTemplateDefaults(spec);
  auto strategy = spec.mutable_update_strategy();
  if (strategy.type().empty()) strategy.set_type_static(DaemonSetUpdateStrategyType::kRollingUpdate);
  if (strategy.type() == DaemonSetUpdateStrategyType::kRollingUpdate)
    SetBounds(strategy.mutable_rolling_update(), Value::Int(1), Value::Int(0));
  SetHistoryLimit(spec);
}

void SetStatefulSetDefaults(Doc& doc) {
  auto spec = StatefulSetEditor(doc).mutable_spec();
  SetTemplateDefaults(spec);
  for (auto claim : spec.edit_volume_claim_templates()) {
    core::SetClaimDefaults(claim);
    // Clients have come to expect them inside the set too.
    claim.set_kind_static("PersistentVolumeClaim");
    claim.set_api_version_static("v1");
  }
  if (spec.pod_management_policy().empty())
    spec.set_pod_management_policy_static(PodManagementPolicyType::kOrderedReady);
  auto strategy = spec.mutable_update_strategy();
  if (strategy.type().empty()) {
    strategy.set_type_static(StatefulSetUpdateStrategyType::kRollingUpdate);
    strategy.mutable_rolling_update();
  }
  if (strategy.type() == StatefulSetUpdateStrategyType::kRollingUpdate) {
    auto update = strategy.edit_rolling_update();
    if (update && !update.has_partition()) update.set_partition(0);
  }
  auto retention = spec.mutable_persistent_volume_claim_retention_policy();
  if (retention.when_deleted().empty()) retention.set_when_deleted_static("Retain");
  if (retention.when_scaled().empty()) retention.set_when_scaled_static("Retain");
  SetReplicas(spec);
  SetHistoryLimit(spec);
}

}  // namespace keelson::api::apps
