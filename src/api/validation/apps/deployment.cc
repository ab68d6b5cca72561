#include "api/validation/apps/deployment.h"

#include <charconv>

#include "api/validation/apps/workload.h"
#include "api/validation/int_or_percent.h"
#include "api/validation/unversioned.h"

namespace keelson::api::apps {
namespace {

using namespace apps_v1;
using core::CheckNonNegative;
using field::RenderValue;

void CheckRollingUpdate(RollingUpdateDeploymentView update, const Path& path, ErrorList& errors) {
  const Value &unavailable = update.max_unavailable(), &surge = update.max_surge();
  const Path at = path.Child("maxUnavailable");
  CheckIntOrPercent(unavailable, at, errors);
  CheckIntOrPercent(surge, path.Child("maxSurge"), errors);
  if (IntOrPercentValue(unavailable) == 0 && IntOrPercentValue(surge) == 0)
    errors.Add(field::Invalid(at, RenderIntOrString(unavailable), "may not be 0 when `maxSurge` is 0"));
  CheckAtMost100Percent(unavailable, at, errors);
}

void CheckStrategy(DeploymentStrategyView strategy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {DeploymentStrategyType::kRecreate,
                                         DeploymentStrategyType::kRollingUpdate};
  const Path rolling = path.Child("rollingUpdate");
  if (strategy.type() == DeploymentStrategyType::kRecreate) {
    if (strategy.rolling_update())
      errors.Add(field::Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (strategy.type() == DeploymentStrategyType::kRollingUpdate) {
    CheckRollingUpdate(strategy.rolling_update(), rolling, errors);
  } else {
    errors.Add(field::NotSupported(path, field::RenderUnversioned(strategy.node()), kTypes));
  }
}

void CheckRollbackTo(meta_v1::ObjectMetaView metadata, const Path& spec_path, ErrorList& errors) {
  const Value* revision = metadata.annotations().Find(kRollbackToAnnotation);
  if (!revision || revision->string().empty()) return;
  int64_t number = 0;
  const std::string_view text = revision->string();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    const Path rollback = spec_path.Child("rollback");
    return CheckNonNegative(number, rollback.Child("version"), errors);
  }
  const Path root("metadata"), annotations = root.Child("annotations");
  errors.Add(field::Invalid(annotations.Key(kRollbackToAnnotation), RenderValue(text), "must be an integer"));
}

void CheckDeadline(DeploymentSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_progress_deadline_seconds()) return;
  CheckNonNegative(spec.progress_deadline_seconds(), path, errors);
  if (spec.progress_deadline_seconds() <= spec.min_ready_seconds())
    errors.Add(field::Invalid(path, RenderValue(spec.progress_deadline_seconds()),
                              "must be greater than minReadySeconds"));
}

}  // namespace

field::ErrorList ValidateDeployment(DeploymentView deployment) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = deployment.spec();
  CheckNonNegative(spec.replicas(), path.Child("replicas"), errors);
  CheckReplicaSetTemplate(spec.selector(), spec.template_(), path, errors);
  CheckStrategy(spec.strategy(), path.Child("strategy"), errors);
  CheckNonNegative(spec.min_ready_seconds(), path.Child("minReadySeconds"), errors);
  CheckNonNegative(spec.revision_history_limit(), path.Child("revisionHistoryLimit"), errors);
  CheckRollbackTo(deployment.metadata(), path, errors);
  CheckDeadline(spec, path.Child("progressDeadlineSeconds"), errors);
  return errors;
}

field::ErrorList ValidateDeploymentUpdate(DeploymentView now, DeploymentView was) {
  ErrorList errors = ValidateDeployment(now);
  const Path path("spec");
  CheckImmutableSelector(now.spec().selector(), was.spec().selector(), path.Child("selector"), errors);
  return errors;
}

field::ErrorList ValidateDeploymentStatusUpdate(DeploymentView now, DeploymentView was) {
  ErrorList errors;
  const Path path("status");
  const auto status = now.status();
  StatusCounts counts(path, errors);
  counts.NonNegative(status.observed_generation(), "observedGeneration");
  counts.NonNegative(status.replicas(), "replicas");
  counts.NonNegative(status.updated_replicas(), "updatedReplicas");
  counts.NonNegative(status.ready_replicas(), "readyReplicas");
  counts.NonNegative(status.available_replicas(), "availableReplicas");
  counts.NonNegative(status.unavailable_replicas(), "unavailableReplicas");
  counts.NonNegative(status.terminating_replicas(), "terminatingReplicas");
  counts.NonNegative(status.collision_count(), "collisionCount");
  counts.AtMost(status.updated_replicas(), status.replicas(), "updatedReplicas", "status.replicas");
  counts.AtMost(status.ready_replicas(), status.replicas(), "readyReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.replicas(), "availableReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.ready_replicas(), "availableReplicas", "readyReplicas");
  CheckCollisionCount(status, was.status(), path, errors);
  return errors;
}

}  // namespace keelson::api::apps
