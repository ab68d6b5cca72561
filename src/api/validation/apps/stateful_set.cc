#include "api/validation/apps/stateful_set.h"

#include <set>

#include "api/validation/apps/workload.h"
#include "api/validation/core/fields.h"
#include "api/validation/core/persistent_volume_claim.h"
#include "api/validation/core/pod_spec.h"
#include "api/validation/int_or_percent.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/labels.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::apps {
namespace {

using namespace apps_v1;
using core::CheckNonNegative;
using field::RenderValue;

// What an update does not look at again: it cannot be changed, so what was stored may stay.
struct Leniency {
  bool service_name = false;
  bool claim_templates = false;
  bool pod_template = false;
};

void CheckRollingUpdate(RollingUpdateStatefulSetStrategyView update, const Path& path, ErrorList& errors) {
  CheckNonNegative(update.partition(), path.Child("partition"), errors);
  if (!update.has_max_unavailable()) return;
  const Value& unavailable = update.max_unavailable();
  const Path at = path.Child("maxUnavailable");
  CheckIntOrPercent(unavailable, at, errors);
  if (IntOrPercentValue(unavailable) == 0)
    errors.Add(field::Invalid(at, RenderIntOrString(unavailable), "cannot be 0"));
  CheckAtMost100Percent(unavailable, at, errors);
}

void CheckUpdateStrategy(StatefulSetUpdateStrategyView strategy, const Path& path, ErrorList& errors) {
  const Path rolling = path.Child("rollingUpdate");
  const auto update = strategy.rolling_update();
  if (strategy.type().empty()) {
    errors.Add(field::Required(path, ""));
  } else if (strategy.type() == StatefulSetUpdateStrategyType::kOnDelete) {
    if (update)
      errors.Add(field::Invalid(rolling, field::RenderUnversioned(update.node()),
                                "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (strategy.type() == StatefulSetUpdateStrategyType::kRollingUpdate) {
    if (update) CheckRollingUpdate(update, rolling, errors);
  } else {
    errors.Add(field::Invalid(path, field::RenderUnversioned(strategy.node()),
                              "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

void CheckManagementPolicy(std::string_view policy, const Path& path, ErrorList& errors) {
  if (policy.empty()) {
    errors.Add(field::Required(path, ""));
  } else if (policy != PodManagementPolicyType::kOrderedReady &&
             policy != PodManagementPolicyType::kParallel) {
    errors.Add(field::Invalid(path, RenderValue(policy), "must be 'OrderedReady' or 'Parallel'"));
  }
}

void CheckRetentionPolicy(StatefulSetPersistentVolumeClaimRetentionPolicyView policy, const Path& path,
                          ErrorList& errors) {
  if (!policy) return;
  constexpr std::string_view kPolicies[] = {"Retain", "Delete"};
  core::CheckSupported(policy.when_deleted(), kPolicies, path.Child("whenDeleted"), errors);
  core::CheckSupported(policy.when_scaled(), kPolicies, path.Child("whenScaled"), errors);
}

void CheckClaimTemplates(StatefulSetSpecView spec, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto claim : spec.volume_claim_templates()) {
    const Path at = path.Index(i++);
    core::CheckVolumeClaimSpec(claim.spec(), at.Child("spec"), errors);
  }
}

// The template as its pods will be: the controller gives them a name, a subdomain and the
// volumes of their claims.
core_v1::PodTemplateSpecView AsPodsWillBe(StatefulSetSpecView spec, Arena& arena) {
  const auto given = spec.template_();
  const auto claims = spec.volume_claim_templates();
  if (given.spec().subdomain().empty() && given.spec().hostname().empty() && claims.empty()) return given;
  Value copy = given ? DeepCopy(Value::Of(const_cast<StructNode*>(given.node())), arena)
                     : Value::Of(StructNode::New(core_v1::kPodTemplateSpecType, arena));
  core_v1::PodTemplateSpecEditor pod_template(copy.node(), &arena);
  auto pod = pod_template.mutable_spec();
  pod.clear_subdomain();
  pod.clear_hostname();
  if (claims.empty()) return pod_template;
  pod.clear_volumes();
  std::set<std::string_view> names;
  for (auto claim : claims) {
    const std::string_view name = claim.metadata().name();
    if (!names.insert(name).second) continue;
    auto volume = pod.add_volumes();
    volume.set_name(name);
    volume.mutable_volume_source().mutable_persistent_volume_claim().set_claim_name(name);
  }
  for (auto volume : given.spec().volumes()) {
    if (names.contains(volume.name())) continue;
    pod.mutable_volumes().Append(Value::Of(const_cast<StructNode*>(volume.node())), arena);
  }
  return pod_template;
}

void CheckTemplate(StatefulSetSpecView spec, bool lenient, const Path& path, ErrorList& errors) {
  Arena arena;
  const auto pod_template = AsPodsWillBe(spec, arena);
  const auto metadata = pod_template.metadata();
  const bool selects_all = spec.selector() && spec.selector().match_labels().empty() &&
                           spec.selector().match_expressions().empty();
  if (!selects_all) CheckSelectorMatches(spec.selector(), pod_template, path, errors);
  if (!lenient) errors.Append(core::ValidatePodTemplateSpec(pod_template, path));
  const Path annotations = path.Child("annotations");
  errors.Append(ValidateLabels(metadata.labels(), path.Child("labels")));
  errors.Append(ValidateAnnotations(metadata.annotations(), annotations));
  core::CheckPodAnnotations({.name = {}, .metadata = metadata}, pod_template.spec(), annotations, errors);
}

ErrorList ValidateSpec(StatefulSetSpecView spec, const Leniency& lenient) {
  ErrorList errors;
  const Path path("spec"), selector = path.Child("selector"), pod_template = path.Child("template");
  CheckManagementPolicy(spec.pod_management_policy(), path.Child("podManagementPolicy"), errors);
  CheckUpdateStrategy(spec.update_strategy(), path.Child("updateStrategy"), errors);
  CheckRetentionPolicy(spec.persistent_volume_claim_retention_policy(),
                       path.Child("persistentVolumeClaimRetentionPolicy"), errors);
  if (!lenient.claim_templates) CheckClaimTemplates(spec, path.Child("volumeClaimTemplates"), errors);
  CheckNonNegative(spec.replicas(), path.Child("replicas"), errors);
  CheckNonNegative(spec.min_ready_seconds(), path.Child("minReadySeconds"), errors);
  CheckNonNegative(spec.ordinals().start(), path.Child("ordinals.start"), errors);
  if (!lenient.service_name && !spec.service_name().empty())
    core::CheckDnsLabel(spec.service_name(), path.Child("serviceName"), errors);
  CheckRequiredSelector(spec.selector(), "statefulset", selector, errors);
  if (IsUsableSelector(spec.selector())) {
    CheckTemplate(spec, lenient.pod_template, pod_template, errors);
  } else {
    errors.Add(field::Invalid(selector, field::RenderStruct(spec.selector().node()), ""));
  }
  CheckRunsForever(spec.template_().spec(), "StatefulSet", pod_template.Child("spec"), errors);
  return errors;
}

bool OnlyMutableFieldsChanged(StatefulSetSpecView now, StatefulSetSpecView was) {
  for (std::string_view member : {"selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"})
    if (!core::SameField(now, was, member)) return false;
  return true;
}

}  // namespace

field::ErrorList ValidateStatefulSet(StatefulSetView set) { return ValidateSpec(set.spec(), {}); }

field::ErrorList ValidateStatefulSetUpdate(StatefulSetView now, StatefulSetView was) {
  Leniency lenient{.service_name = true, .claim_templates = true};
  lenient.pod_template = !ValidateSpec(was.spec(), lenient).empty();
  ErrorList errors = ValidateSpec(now.spec(), lenient);
  if (!OnlyMutableFieldsChanged(now.spec(), was.spec())) {
    errors.Add(field::Forbidden(
        Path("spec"),
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
        "'minReadySeconds' are forbidden"));
  }
  return errors;
}

field::ErrorList ValidateStatefulSetStatusUpdate(StatefulSetView now, StatefulSetView was) {
  ErrorList errors;
  const Path path("status");
  const auto status = now.status();
  StatusCounts counts(path, errors);
  counts.NonNegative(status.replicas(), "replicas");
  counts.NonNegative(status.ready_replicas(), "readyReplicas");
  counts.NonNegative(status.current_replicas(), "currentReplicas");
  counts.NonNegative(status.updated_replicas(), "updatedReplicas");
  counts.NonNegative(status.available_replicas(), "availableReplicas");
  counts.NonNegative(status.observed_generation(), "observedGeneration");
  counts.NonNegative(status.collision_count(), "collisionCount");
  counts.AtMost(status.ready_replicas(), status.replicas(), "readyReplicas", "status.replicas");
  counts.AtMost(status.current_replicas(), status.replicas(), "currentReplicas", "status.replicas");
  counts.AtMost(status.updated_replicas(), status.replicas(), "updatedReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.replicas(), "availableReplicas", "status.replicas");
  counts.AtMost(status.available_replicas(), status.ready_replicas(), "availableReplicas",
                "status.readyReplicas");
  CheckCollisionCount(status, was.status(), path, errors);
  return errors;
}

}  // namespace keelson::api::apps
