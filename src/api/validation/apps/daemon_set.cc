#include "api/validation/apps/daemon_set.h"

#include <charconv>

#include "api/validation/apps/workload.h"
#include "api/validation/core/pod_spec.h"
#include "api/validation/int_or_percent.h"
#include "api/validation/label_selector.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::apps {
namespace {

using namespace apps_v1;
using core::CheckNonNegative;
using field::RenderValue;

void CheckRollingUpdate(RollingUpdateDaemonSetView update, const Path& path, ErrorList& errors) {
  const Value &unavailable = update.max_unavailable(), &surge = update.max_surge();
  const Path unavailable_path = path.Child("maxUnavailable"), surge_path = path.Child("maxSurge");
  CheckIntOrPercent(unavailable, unavailable_path, errors);
  CheckIntOrPercent(surge, surge_path, errors);
  CheckAtMost100Percent(unavailable, unavailable_path, errors);
  CheckAtMost100Percent(surge, surge_path, errors);
  const bool has_unavailable = IntOrPercentValue(unavailable) != 0, has_surge = IntOrPercentValue(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.Add(field::Invalid(surge_path, RenderIntOrString(surge),
                              "may not be set when maxUnavailable is non-zero"));
  } else if (!has_unavailable && !has_surge) {
    errors.Add(field::Required(unavailable_path, "cannot be 0 when maxSurge is 0"));
  }
}

void CheckUpdateStrategy(DaemonSetUpdateStrategyView strategy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {DaemonSetUpdateStrategyType::kRollingUpdate,
                                         DaemonSetUpdateStrategyType::kOnDelete};
  if (strategy.type() == DaemonSetUpdateStrategyType::kOnDelete) return;
  if (strategy.type() == DaemonSetUpdateStrategyType::kRollingUpdate)
    return CheckRollingUpdate(strategy.rolling_update(), path.Child("rollingUpdate"), errors);
  errors.Add(field::NotSupported(path, field::RenderUnversioned(strategy.node()), kTypes));
}

void CheckTemplateGeneration(meta_v1::ObjectMetaView metadata, const Path& spec_path, ErrorList& errors) {
  if (const auto generation = TemplateGenerationOf(metadata))
    return CheckNonNegative(*generation, spec_path.Child("templateGeneration"), errors);
  const Path root("metadata"), annotations = root.Child("annotations");
  const std::string_view text = metadata.annotations().Find(kTemplateGenerationAnnotation)->string();
  errors.Add(field::Invalid(annotations.Key(kTemplateGenerationAnnotation), RenderValue(text),
                            "must be an integer"));
}

ErrorList ValidateSpec(DaemonSetView set, const LabelSelectorOptions& options) {
  ErrorList errors;
  const Path path("spec"), selector = path.Child("selector"), pod_template = path.Child("template");
  const auto spec = set.spec();
  errors.Append(ValidateLabelSelector(spec.selector(), selector, options));
  if (IsUsableSelector(spec.selector()))
    CheckSelectorMatches(spec.selector(), spec.template_(), pod_template, errors);
  if (spec.selector() && spec.selector().match_labels().empty() &&
      spec.selector().match_expressions().empty()) {
    errors.Add(field::Invalid(selector, field::RenderStruct(spec.selector().node()),
                              "empty selector is invalid for daemonset"));
  }
  errors.Append(core::ValidatePodTemplateSpec(spec.template_(), pod_template));
  CheckRunsForever(spec.template_().spec(), "DaemonSet", pod_template.Child("spec"), errors);
  CheckNonNegative(spec.min_ready_seconds(), path.Child("minReadySeconds"), errors);
  CheckTemplateGeneration(set.metadata(), path, errors);
  CheckUpdateStrategy(spec.update_strategy(), path.Child("updateStrategy"), errors);
  CheckNonNegative(spec.revision_history_limit(), path.Child("revisionHistoryLimit"), errors);
  return errors;
}

}  // namespace

std::optional<int64_t> TemplateGenerationOf(meta_v1::ObjectMetaView metadata) {
  const Value* annotation = metadata.annotations().Find(kTemplateGenerationAnnotation);
  if (!annotation) return 0;
  int64_t generation = 0;
  const std::string_view text = annotation->string();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), generation);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return generation;
}

field::ErrorList ValidateDaemonSet(DaemonSetView set) { return ValidateSpec(set, {}); }

field::ErrorList ValidateDaemonSetUpdate(DaemonSetView now, DaemonSetView was) {
  ErrorList errors;
  const Path path("spec");
  CheckImmutableSelector(now.spec().selector(), was.spec().selector(), path.Child("selector"), errors);
  // Values that were never checked when the object was made may stay.
  errors.Append(ValidateSpec(now, {.allow_invalid_values = !IsUsableSelector(was.spec().selector())}));
  return errors;
}

field::ErrorList ValidateDaemonSetStatusUpdate(DaemonSetView now, DaemonSetView was) {
  ErrorList errors;
  const Path path("status");
  const auto status = now.status();
  StatusCounts counts(path, errors);
  counts.NonNegative(status.current_number_scheduled(), "currentNumberScheduled");
  counts.NonNegative(status.number_misscheduled(), "numberMisscheduled");
  counts.NonNegative(status.desired_number_scheduled(), "desiredNumberScheduled");
  counts.NonNegative(status.number_ready(), "numberReady");
  counts.NonNegative(status.observed_generation(), "observedGeneration");
  counts.NonNegative(status.updated_number_scheduled(), "updatedNumberScheduled");
  counts.NonNegative(status.number_available(), "numberAvailable");
  counts.NonNegative(status.number_unavailable(), "numberUnavailable");
  counts.NonNegative(status.collision_count(), "collisionCount");
  CheckCollisionCount(status, was.status(), path, errors);
  return errors;
}

}  // namespace keelson::api::apps
