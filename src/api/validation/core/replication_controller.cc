#include "api/validation/core/replication_controller.h"

#include "api/validation/core/pod_spec.h"
#include "api/validation/render.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

void CheckTemplate(ReplicationControllerSpecView spec, const Path& path, ErrorList& errors) {
  const auto pod_template = spec.template_();
  if (!pod_template) return errors.Add(field::Required(path, ""));
  for (const auto& [key, value] : spec.selector()) {
    const Value* label = pod_template.metadata().labels().Find(key);
    if (label && label->string() == value.string()) continue;
    const Path metadata = path.Child("metadata");
    errors.Add(field::Invalid(metadata.Child("labels"),
                              field::RenderField(pod_template.metadata().node(), "labels"),
                              "`selector` does not match template `labels`"));
    break;
  }
  errors.Append(ValidatePodTemplateSpec(pod_template, path));
  const Path pod_spec = path.Child("spec");
  constexpr std::string_view kAlways[] = {RestartPolicy::kAlways};
  CheckSupported(pod_template.spec().restart_policy(), kAlways, pod_spec.Child("restartPolicy"), errors);
  if (pod_template.spec().has_active_deadline_seconds()) {
    errors.Add(field::Forbidden(pod_spec.Child("activeDeadlineSeconds"),
                                "activeDeadlineSeconds in ReplicationController is not Supported"));
  }
}

}  // namespace

field::ErrorList ValidateReplicationController(ReplicationControllerView controller) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = controller.spec();
  CheckNonNegative(spec.min_ready_seconds(), path.Child("minReadySeconds"), errors);
  if (spec.selector().empty()) errors.Add(field::Required(path.Child("selector"), ""));
  if (!spec.has_replicas()) {
    errors.Add(field::Required(path.Child("replicas"), ""));
  } else {
    CheckNonNegative(spec.replicas(), path.Child("replicas"), errors);
  }
  CheckTemplate(spec, path.Child("template"), errors);
  return errors;
}

field::ErrorList ValidateReplicationControllerStatus(ReplicationControllerStatusView status) {
  ErrorList errors;
  const Path path("status");
  CheckNonNegative(status.replicas(), path.Child("replicas"), errors);
  CheckNonNegative(status.fully_labeled_replicas(), path.Child("fullyLabeledReplicas"), errors);
  CheckNonNegative(status.ready_replicas(), path.Child("readyReplicas"), errors);
  CheckNonNegative(status.available_replicas(), path.Child("availableReplicas"), errors);
  CheckNonNegative(status.observed_generation(), path.Child("observedGeneration"), errors);
  auto at_most = [&](int32_t count, int32_t max, std::string_view member, std::string_view why) {
    if (count > max) errors.Add(field::Invalid(path.Child(member), RenderValue(count), why));
  };
  constexpr std::string_view kAboveReplicas = "cannot be greater than status.replicas";
  at_most(status.fully_labeled_replicas(), status.replicas(), "fullyLabeledReplicas", kAboveReplicas);
  at_most(status.ready_replicas(), status.replicas(), "readyReplicas", kAboveReplicas);
  at_most(status.available_replicas(), status.replicas(), "availableReplicas", kAboveReplicas);
  at_most(status.available_replicas(), status.ready_replicas(), "availableReplicas",
          "cannot be greater than readyReplicas");
  return errors;
}

field::ErrorList ValidatePodTemplate(PodTemplateView pod_template) {
  return ValidatePodTemplateSpec(pod_template.template_(), Path("template"));
}

}  // namespace keelson::api::core
