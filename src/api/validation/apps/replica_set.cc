#include "api/validation/apps/replica_set.h"

#include "api/validation/apps/workload.h"

namespace keelson::api::apps {

using namespace apps_v1;
using core::CheckNonNegative;

field::ErrorList ValidateReplicaSet(ReplicaSetView set) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = set.spec();
  CheckNonNegative(spec.replicas(), path.Child("replicas"), errors);
  CheckNonNegative(spec.min_ready_seconds(), path.Child("minReadySeconds"), errors);
  CheckReplicaSetTemplate(spec.selector(), spec.template_(), path, errors);
  return errors;
}

field::ErrorList ValidateReplicaSetUpdate(ReplicaSetView now, ReplicaSetView was) {
  ErrorList errors = ValidateReplicaSet(now);
  const Path path("spec");
  CheckImmutableSelector(now.spec().selector(), was.spec().selector(), path.Child("selector"), errors);
  return errors;
}

field::ErrorList ValidateReplicaSetStatus(ReplicaSetStatusView status) {
  ErrorList errors;
  const Path path("status");
  StatusCounts counts(path, errors);
  counts.NonNegative(status.replicas(), "replicas");
  counts.NonNegative(status.fully_labeled_replicas(), "fullyLabeledReplicas");
  counts.NonNegative(status.ready_replicas(), "readyReplicas");
  counts.NonNegative(status.available_replicas(), "availableReplicas");
  counts.NonNegative(status.observed_generation(), "observedGeneration");
  counts.NonNegative(status.terminating_replicas(), "terminatingReplicas");
  counts.AtMost(status.fully_labeled_replicas(), status.replicas(), "fullyLabeledReplicas",
                "status.replicas");
  counts.AtMost(status.ready_replicas(), status.replicas(), "readyReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.replicas(), "availableReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.ready_replicas(), "availableReplicas", "readyReplicas");
  return errors;
}

}  // namespace keelson::api::apps
