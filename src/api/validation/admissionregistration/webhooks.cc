#include "api/validation/admissionregistration/webhooks.h"

#include <algorithm>
#include <set>

#include "api/validation/admissionregistration/match.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/label_selector.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "api/validation/webhook_client.h"

namespace keelson::api::admissionregistration {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace admissionregistration_v1;

constexpr std::string_view kNoSideEffects[] = {"None", "NoneOnDryRun"};
constexpr std::string_view kAnySideEffects[] = {"None", "NoneOnDryRun", "Some", "Unknown"};
constexpr std::string_view kReviewVersions[] = {"v1", "v1beta1"};

struct Options {
  bool check_conditions = true;
  bool require_no_side_effects = true;
  bool require_known_version = true;
  bool require_unique_names = true;
  bool allow_invalid_label_values = false;
};

std::string Joined(std::span<const std::string_view> items) {
  std::string text;
  for (const std::string_view item : items) text.append(text.empty() ? "" : ", ").append(item);
  return text;
}

bool Contains(std::span<const std::string_view> items, std::string_view item) {
  return std::ranges::find(items, item) != items.end();
}

void CheckName(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.empty()) {
    errors.Add(field::Required(path, ""));
    return;
  }
  std::string wrong;
  for (const std::string& message : IsDns1123Subdomain(name))
    wrong.append(wrong.empty() ? "" : ",").append(message);
  if (wrong.empty() && std::ranges::count(name, '.') < 2)
    wrong = "should be a domain with at least three segments separated by dots";
  if (!wrong.empty()) errors.Add(field::Invalid(path, RenderValue(name), wrong));
}

template <class WebhookView>
void CheckReviewVersions(WebhookView hook, const Options& options, const Path& path, ErrorList& errors) {
  const ScalarList versions = hook.admission_review_versions();
  if (versions.empty()) {
    errors.Add(field::Required(path, "must specify one of " + Joined(kReviewVersions)));
    return;
  }
  std::set<std::string_view> seen;
  bool known = false;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].string();
    if (!seen.insert(version).second) {
      errors.Add(field::Invalid(path.Index(i), RenderValue(version), "duplicate version"));
      continue;
    }
    errors.AddInvalid(path.Index(i), version, IsDns1035Label(version));
    known = known || Contains(kReviewVersions, version);
  }
  if (options.require_known_version && !known)
    errors.Add(field::Invalid(path, field::RenderField(hook.node(), "admissionReviewVersions"),
                              "must include at least one of " + Joined(kReviewVersions)));
}

void CheckReinvocation(ValidatingWebhookView, const Path&, ErrorList&) {}
void CheckReinvocation(MutatingWebhookView hook, const Path& path, ErrorList& errors) {
  if (hook.has_reinvocation_policy())
    core::CheckSupported(hook.reinvocation_policy(), kReinvocationPolicies, path.Child("reinvocationPolicy"),
                         errors);
}

template <class WebhookView>
void CheckWebhook(WebhookView hook, const Options& options, const ExpressionRules& rules, const Path& path,
                  ErrorList& errors) {
  CheckName(hook.name(), path.Child("name"), errors);
  const Path matching = path.Child("rules");
  for (size_t i = 0; i < hook.rules().size(); ++i) CheckRule(hook.rules()[i], matching.Index(i), errors);
  if (hook.has_failure_policy())
    core::CheckSupported(hook.failure_policy(), kFailurePolicies, path.Child("failurePolicy"), errors);
  if (hook.has_match_policy())
    core::CheckSupported(hook.match_policy(), kMatchPolicies, path.Child("matchPolicy"), errors);
  const std::span<const std::string_view> effects =
      options.require_no_side_effects ? std::span<const std::string_view>(kNoSideEffects) : kAnySideEffects;
  if (hook.has_side_effects()) {
    core::CheckSupported(hook.side_effects(), effects, path.Child("sideEffects"), errors);
  } else {
    errors.Add(field::Required(path.Child("sideEffects"), "must specify one of " + Joined(effects)));
  }
  if (hook.has_timeout_seconds() && (hook.timeout_seconds() > 30 || hook.timeout_seconds() < 1))
    errors.Add(field::Invalid(path.Child("timeoutSeconds"), RenderValue(hook.timeout_seconds()),
                              "the timeout value must be between 1 and 30 seconds"));
  const LabelSelectorOptions selectors{.allow_invalid_values = options.allow_invalid_label_values};
  errors.Append(ValidateLabelSelector(hook.namespace_selector(), path.Child("namespaceSelector"), selectors));
  errors.Append(ValidateLabelSelector(hook.object_selector(), path.Child("objectSelector"), selectors));
  CheckReinvocation(hook, path, errors);
  errors.Append(ValidateWebhookClientConfig(hook.client_config(), path.Child("clientConfig")));
  if (options.check_conditions)
    CheckMatchConditions(hook.match_conditions(), false, rules, path.Child("matchConditions"), errors);
}

template <class ConfigurationView>
ErrorList Check(ConfigurationView configuration, const Options& options, const ExpressionRules& rules) {
  ErrorList errors;
  std::set<std::string_view> names;
  const Path webhooks("webhooks");
  size_t i = 0;
  for (const auto hook : configuration.webhooks()) {
    const Path path = webhooks.Index(i++);
    CheckWebhook(hook, options, rules, path, errors);
    CheckReviewVersions(hook, options, path.Child("admissionReviewVersions"), errors);
    if (options.require_unique_names && !hook.name().empty() && !names.insert(hook.name()).second)
      errors.Add(field::Duplicate(path.Child("name"), RenderValue(hook.name())));
  }
  return errors;
}

template <class ConfigurationView>
ErrorList CheckUpdate(ConfigurationView now, ConfigurationView was, const ExpressionRules& rules) {
  Options options;
  std::set<std::string_view> names;
  for (const auto hook : was.webhooks()) {
    options.require_no_side_effects =
        options.require_no_side_effects && Contains(kNoSideEffects, hook.side_effects());
    const ScalarList versions = hook.admission_review_versions();
    const bool known = std::ranges::any_of(
        versions, [](const Value& version) { return Contains(kReviewVersions, version.string()); });
    options.require_known_version = options.require_known_version && (known || versions.empty());
    options.require_unique_names = names.insert(hook.name()).second && options.require_unique_names;
    options.allow_invalid_label_values =
        options.allow_invalid_label_values ||
        !ValidateLabelSelector(hook.namespace_selector(), Path("")).empty() ||
        !ValidateLabelSelector(hook.object_selector(), Path("")).empty();
  }
  bool same = now.webhooks().size() == was.webhooks().size();
  for (size_t i = 0; same && i < was.webhooks().size(); ++i)
    same = core::SameField(now.webhooks()[i], was.webhooks()[i], "matchConditions");
  options.check_conditions = !same;
  return Check(now, options, rules);
}

}  // namespace

ErrorList ValidateWebhooks(ValidatingWebhookConfigurationView configuration, const ExpressionRules& rules) {
  return Check(configuration, {}, rules);
}
ErrorList ValidateWebhooks(MutatingWebhookConfigurationView configuration, const ExpressionRules& rules) {
  return Check(configuration, {}, rules);
}
ErrorList ValidateWebhooksUpdate(ValidatingWebhookConfigurationView now,
                                 ValidatingWebhookConfigurationView was, const ExpressionRules& rules) {
  return CheckUpdate(now, was, rules);
}
ErrorList ValidateWebhooksUpdate(MutatingWebhookConfigurationView now, MutatingWebhookConfigurationView was,
                                 const ExpressionRules& rules) {
  return CheckUpdate(now, was, rules);
}

}  // namespace keelson::api::admissionregistration
