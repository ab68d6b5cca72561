#include <algorithm>
#include <set>
#include <string>

#include "api/validation/batch/indexes.h"
#include "api/validation/batch/job.h"
#include "api/validation/core/pod_spec.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;
using core::CheckNonNegative;
using core::ErrorList;
using core::Path;
using core_v1::RestartPolicy;
using field::RenderValue;

// Bounds on what is written into a job's status.
constexpr int32_t kMaxParallelism = 100'000;
constexpr int32_t kMaxFailedIndexes = 100'000;
constexpr int32_t kManyCompletions = 100'000;
constexpr int32_t kMaxWithManyCompletions = 10'000;
constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxManagedByBytes = 63;
constexpr size_t kMaxSucceededIndexesBytes = 64 * 1024;

std::string ValidValues(std::span<const std::string_view> values) {
  std::string text = "valid values: [";
  for (size_t i = 0; i < values.size(); ++i) text.append(i ? " " : "").append(RenderValue(values[i]));
  return text + "]";
}

// Empty is told apart from unknown; both messages list what there is.
void CheckChoice(std::string_view value, std::span<const std::string_view> values, const Path& path,
                 ErrorList& errors) {
  if (value.empty()) {
    errors.Add(field::Required(path, ValidValues(values)));
  } else {
    core::CheckSupported(value, values, path, errors);
  }
}

void CheckCounts(JobSpecView spec, const Path& path, ErrorList& errors) {
  CheckNonNegative(spec.parallelism(), path.Child("parallelism"), errors);
  CheckNonNegative(spec.completions(), path.Child("completions"), errors);
  CheckNonNegative(spec.active_deadline_seconds(), path.Child("activeDeadlineSeconds"), errors);
  CheckNonNegative(spec.backoff_limit(), path.Child("backoffLimit"), errors);
  CheckNonNegative(spec.ttl_seconds_after_finished(), path.Child("ttlSecondsAfterFinished"), errors);
  CheckNonNegative(spec.backoff_limit_per_index(), path.Child("backoffLimitPerIndex"), errors);
  CheckNonNegative(spec.max_failed_indexes(), path.Child("maxFailedIndexes"), errors);
  if (spec.has_max_failed_indexes() && !spec.has_backoff_limit_per_index())
    errors.Add(field::Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
}

bool IsHttpPath(std::string_view path) {
  constexpr std::string_view kOthers = "/-._~%!$&'()*+,;=:";
  return std::ranges::all_of(path, [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || kOthers.find(c) != kOthers.npos;
  });
}

void CheckManagedBy(std::string_view value, const Path& path, ErrorList& errors) {
  const size_t slash = value.find('/');
  const std::string_view host = value.substr(0, slash);
  const std::string_view rest = slash == value.npos ? std::string_view() : value.substr(slash + 1);
  if (value.empty()) {
    errors.Add(field::Required(path, ""));
  } else if (host.empty() || rest.empty()) {
    errors.Add(
        field::Invalid(path, RenderValue(value), "must be a domain-prefixed path (such as \"acme.io/foo\")"));
  } else {
    errors.AddInvalid(path, host, IsDns1123Subdomain(host));
    constexpr std::string_view kPathRegex = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    if (!IsHttpPath(rest))
      errors.Add(field::Invalid(path, RenderValue(rest), RegexMessage("Invalid path", kPathRegex, {})));
  }
  if (value.size() > kMaxManagedByBytes) errors.Add(field::TooLong(path, kMaxManagedByBytes));
}

std::string AtMostText(int32_t max, std::string_view when = {}) {
  std::string text = "must be less than or equal to " + std::to_string(max);
  return when.empty() ? text : text + " when " + std::string(when);
}

void CheckIndexed(JobSpecView spec, const Path& path, ErrorList& errors) {
  auto at_most = [&](int32_t value, int32_t max, std::string_view member, const std::string& why) {
    if (value > max) errors.Add(field::Invalid(path.Child(member), RenderValue(value), why));
  };
  if (!spec.has_completions())
    errors.Add(field::Required(path.Child("completions"), "when completion mode is Indexed"));
  at_most(spec.parallelism(), kMaxParallelism, "parallelism",
          AtMostText(kMaxParallelism, "completion mode is Indexed"));
  if (spec.has_completions() && spec.has_max_failed_indexes())
    at_most(spec.max_failed_indexes(), spec.completions(), "maxFailedIndexes",
            "must be less than or equal to completions");
  at_most(spec.max_failed_indexes(), kMaxFailedIndexes, "maxFailedIndexes", AtMostText(kMaxFailedIndexes));
  if (spec.completions() <= kManyCompletions || !spec.has_backoff_limit_per_index()) return;
  const std::string above = std::to_string(kManyCompletions);
  if (!spec.has_max_failed_indexes())
    errors.Add(field::Required(path.Child("maxFailedIndexes"),
                               "must be specified when completions is above " + above));
  const std::string why = AtMostText(
      kMaxWithManyCompletions, "completions are above " + above + " and used with backoff limit per index");
  at_most(spec.parallelism(), kMaxWithManyCompletions, "parallelism", why);
  at_most(spec.max_failed_indexes(), kMaxWithManyCompletions, "maxFailedIndexes", why);
}

void CheckCompletionMode(JobSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kModes[] = {CompletionMode::kNonIndexed, CompletionMode::kIndexed};
  if (spec.has_completion_mode())
    core::CheckSupported(spec.completion_mode(), kModes, path.Child("completionMode"), errors);
  if (spec.completion_mode() == CompletionMode::kIndexed) CheckIndexed(spec, path, errors);
  if (spec.has_completion_mode() && spec.completion_mode() != CompletionMode::kNonIndexed) return;
  constexpr std::string_view kNeedsIndexes = "requires indexed completion mode";
  if (spec.has_backoff_limit_per_index())
    errors.Add(field::Invalid(path.Child("backoffLimitPerIndex"), RenderValue(spec.backoff_limit_per_index()),
                              kNeedsIndexes));
  if (spec.has_max_failed_indexes())
    errors.Add(field::Invalid(path.Child("maxFailedIndexes"), RenderValue(spec.max_failed_indexes()),
                              kNeedsIndexes));
}

using NameSet = std::set<std::string_view>;

void CheckExitCodes(PodFailurePolicyOnExitCodesRequirementView requirement, const NameSet& containers,
                    const Path& path, ErrorList& errors) {
  constexpr std::string_view kOperators[] = {PodFailurePolicyOnExitCodesOperator::kIn,
                                             PodFailurePolicyOnExitCodesOperator::kNotIn};
  CheckChoice(requirement.operator_(), kOperators, path.Child("operator"), errors);
  if (requirement.has_container_name() && !containers.contains(requirement.container_name()))
    errors.Add(field::Invalid(path.Child("containerName"), RenderValue(requirement.container_name()),
                              "must be one of the container or initContainer names in the pod template"));
  const auto values = requirement.values();
  const Path values_path = path.Child("values");
  if (values.empty()) {
    errors.Add(field::Invalid(values_path, field::RenderField(requirement.node(), "values"),
                              "at least one value is required"));
  } else if (values.size() > kMaxExitCodes) {
    errors.Add(field::TooMany(values_path, values.size(), kMaxExitCodes));
  }
  std::set<int64_t> seen;
  bool ordered = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t code = values[i].integer();
    if (code == 0 && requirement.operator_() == PodFailurePolicyOnExitCodesOperator::kIn)
      errors.Add(
          field::Invalid(values_path.Index(i), RenderValue(code), "must not be 0 for the In operator"));
    if (!seen.insert(code).second) errors.Add(field::Duplicate(values_path.Index(i), RenderValue(code)));
    ordered &= i == 0 || values[i - 1].integer() <= code;
  }
  if (!ordered)
    errors.Add(
        field::Invalid(values_path, field::RenderField(requirement.node(), "values"), "must be ordered"));
}

void CheckPodConditions(ListView<PodFailurePolicyOnPodConditionsPatternView> patterns, const Path& path,
                        ErrorList& errors) {
  constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};
  if (patterns.size() > kMaxRules) errors.Add(field::TooMany(path, patterns.size(), kMaxRules));
  size_t i = 0;
  for (auto pattern : patterns) {
    const Path at = path.Index(i++);
    core::CheckQualifiedName(pattern.type(), at.Child("type"), errors);
    CheckChoice(pattern.status(), kStatuses, at.Child("status"), errors);
  }
}

void CheckFailureRule(JobSpecView spec, PodFailurePolicyRuleView rule, const NameSet& containers,
                      const Path& path, ErrorList& errors) {
  constexpr std::string_view kActions[] = {PodFailurePolicyAction::kCount, PodFailurePolicyAction::kFailIndex,
                                           PodFailurePolicyAction::kFailJob, PodFailurePolicyAction::kIgnore};
  CheckChoice(rule.action(), kActions, path.Child("action"), errors);
  if (rule.action() == PodFailurePolicyAction::kFailIndex && !spec.has_backoff_limit_per_index())
    errors.Add(field::Invalid(path.Child("action"), RenderValue(rule.action()),
                              "requires the backoffLimitPerIndex to be set"));
  const bool on_codes = static_cast<bool>(rule.on_exit_codes());
  const bool on_conditions = !rule.on_pod_conditions().empty();
  if (on_codes) CheckExitCodes(rule.on_exit_codes(), containers, path.Child("onExitCodes"), errors);
  if (on_conditions) CheckPodConditions(rule.on_pod_conditions(), path.Child("onPodConditions"), errors);
  if (on_codes && on_conditions)
    errors.Add(Contradiction(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
  if (!on_codes && !on_conditions)
    errors.Add(Contradiction(path, "specifying one of OnExitCodes and OnPodConditions is required"));
}

void CheckFailurePolicy(JobSpecView spec, const Path& path, ErrorList& errors) {
  const auto rules = spec.pod_failure_policy().rules();
  const Path rules_path = path.Child("rules");
  if (rules.size() > kMaxRules) errors.Add(field::TooMany(rules_path, rules.size(), kMaxRules));
  NameSet containers;
  for (auto container : spec.template_().spec().containers()) containers.insert(container.name());
  for (auto container : spec.template_().spec().init_containers()) containers.insert(container.name());
  size_t i = 0;
  for (auto rule : rules) CheckFailureRule(spec, rule, containers, rules_path.Index(i++), errors);
}

void CheckSuccessRule(JobSpecView spec, SuccessPolicyRuleView rule, const Path& path, ErrorList& errors) {
  if (!rule.has_succeeded_count() && !rule.has_succeeded_indexes())
    errors.Add(field::Required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  int32_t total = 0;
  if (rule.has_succeeded_indexes()) {
    const Path indexes = path.Child("succeededIndexes");
    const std::string_view text = rule.succeeded_indexes();
    if (text.size() > kMaxSucceededIndexesBytes)
      errors.Add(field::TooLong(indexes, kMaxSucceededIndexesBytes));
    if (const auto count = CountIndexes(text, spec.completions())) {
      total = *count;
    } else {
      errors.Add(
          field::Invalid(indexes, RenderValue(text), "error parsing succeededIndexes: " + count.error()));
    }
  }
  if (!rule.has_succeeded_count()) return;
  const Path count = path.Child("succeededCount");
  CheckNonNegative(rule.succeeded_count(), count, errors);
  auto at_most = [&](int32_t max, const std::string& what) {
    if (rule.succeeded_count() > max)
      errors.Add(field::Invalid(count, RenderValue(rule.succeeded_count()), AtMostText(max) + what));
  };
  at_most(spec.completions(), " (the number of specified completions)");
  if (rule.has_succeeded_indexes())
    at_most(total, " (the number of indexes in the specified succeededIndexes field)");
}

void CheckSuccessPolicy(JobSpecView spec, const Path& path, ErrorList& errors) {
  const auto policy = spec.success_policy();
  if (spec.completion_mode() != CompletionMode::kIndexed)
    return errors.Add(
        field::Invalid(path, field::RenderUnversioned(policy.node()), "requires indexed completion mode"));
  const Path rules = path.Child("rules");
  if (policy.rules().empty())
    errors.Add(
        field::Required(rules, "at least one rules must be specified when the successPolicy is specified"));
  if (policy.rules().size() > kMaxRules) errors.Add(field::TooMany(rules, policy.rules().size(), kMaxRules));
  size_t i = 0;
  for (auto rule : policy.rules()) CheckSuccessRule(spec, rule, rules.Index(i++), errors);
}

void CheckReplacementPolicy(JobSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_pod_replacement_policy()) return;
  constexpr std::string_view kAny[] = {PodReplacementPolicy::kFailed,
                                       PodReplacementPolicy::kTerminatingOrFailed};
  // Whether a failed pod counts is known only when it has ended.
  const std::span<const std::string_view> allowed(kAny, spec.pod_failure_policy() ? 1 : 2);
  core::CheckSupported(spec.pod_replacement_policy(), allowed, path, errors);
}

void CheckRestartPolicy(JobSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kEnding[] = {RestartPolicy::kOnFailure, RestartPolicy::kNever};
  const std::string_view policy = spec.template_().spec().restart_policy();
  if (policy.empty() || policy == RestartPolicy::kAlways) {
    errors.Add(field::Required(path, "valid values: \"OnFailure\", \"Never\""));
  } else if (policy != RestartPolicy::kOnFailure && policy != RestartPolicy::kNever) {
    errors.Add(field::NotSupported(path, RenderValue(policy), kEnding));
  } else if (spec.pod_failure_policy() && policy != RestartPolicy::kNever) {
    errors.Add(field::Invalid(path, RenderValue(policy),
                              "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

}  // namespace

void CheckJobSpec(JobSpecView spec, const Path& path, ErrorList& errors) {
  CheckCounts(spec, path, errors);
  if (spec.has_managed_by()) CheckManagedBy(spec.managed_by(), path.Child("managedBy"), errors);
  CheckCompletionMode(spec, path, errors);
  if (spec.pod_failure_policy()) CheckFailurePolicy(spec, path.Child("podFailurePolicy"), errors);
  if (spec.success_policy()) CheckSuccessPolicy(spec, path.Child("successPolicy"), errors);
  CheckReplacementPolicy(spec, path.Child("podReplacementPolicy"), errors);
  const Path pod_template = path.Child("template"), pod_spec = pod_template.Child("spec");
  errors.Append(core::ValidatePodTemplateSpec(spec.template_(), pod_template));
  CheckRestartPolicy(spec, pod_spec.Child("restartPolicy"), errors);
}

}  // namespace keelson::api::batch
