#include "api/defaulting/admissionregistration/defaults.h"

#include "api/generated/admissionregistration_v1.h"
#include "api/generated/admissionregistration_v1alpha1.h"

namespace keelson::api::admissionregistration {
namespace {

using namespace admissionregistration_v1;

void SetRuleDefaults(RuleWithOperationsEditor rule) {
  auto inner = rule.mutable_rule();
  if (!inner.has_scope()) inner.set_scope_static("*");
}

template <class Editor>
void SetMatchingDefaults(Editor editor) {
  if (!editor.has_match_policy()) editor.set_match_policy_static(MatchPolicyType::kEquivalent);
  editor.mutable_namespace_selector();
  editor.mutable_object_selector();
}

void SetMatchResourcesDefaults(MatchResourcesEditor match) {
  if (!match) return;
  SetMatchingDefaults(match);
  for (auto rule : match.edit_resource_rules()) SetRuleDefaults(rule.mutable_rule_with_operations());
  for (auto rule : match.edit_exclude_resource_rules()) SetRuleDefaults(rule.mutable_rule_with_operations());
}

template <class Editor>
void SetFailurePolicyDefault(Editor editor) {
  if (!editor.has_failure_policy()) editor.set_failure_policy_static(FailurePolicyType::kFail);
}

template <class WebhookEditor>
void SetWebhookDefaults(WebhookEditor hook) {
  constexpr int32_t kTimeoutSeconds = 10, kHttps = 443;
  SetFailurePolicyDefault(hook);
  SetMatchingDefaults(hook);
  if (!hook.has_timeout_seconds()) hook.set_timeout_seconds(kTimeoutSeconds);
  if (auto config = hook.edit_client_config())
    if (auto service = config.edit_service())
      if (!service.has_port()) service.set_port(kHttps);
  for (auto rule : hook.edit_rules()) SetRuleDefaults(rule);
}

void SetValidatingWebhookDefaults(Doc& doc) {
  for (auto hook : ValidatingWebhookConfigurationEditor(doc).edit_webhooks()) SetWebhookDefaults(hook);
}

void SetMutatingWebhookDefaults(Doc& doc) {
  for (auto hook : MutatingWebhookConfigurationEditor(doc).edit_webhooks()) {
    SetWebhookDefaults(hook);
    if (!hook.has_reinvocation_policy()) hook.set_reinvocation_policy_static(ReinvocationPolicyType::kNever);
  }
}

template <class PolicyEditor>
void SetPolicyDefaults(Doc& doc) {
  auto spec = PolicyEditor(doc).mutable_spec();
  SetFailurePolicyDefault(spec);
  SetMatchResourcesDefaults(spec.edit_match_constraints());
}

template <class BindingEditor>
void SetBindingDefaults(Doc& doc) {
  if (auto spec = BindingEditor(doc).edit_spec()) SetMatchResourcesDefaults(spec.edit_match_resources());
}

// The other defaults of the older versions are those of v1, which come after the conversion.
void SetAlphaBindingDefaults(Doc& doc) {
  auto spec = admissionregistration_v1alpha1::MutatingAdmissionPolicyBindingEditor(doc).edit_spec();
  if (!spec) return;
  if (auto ref = spec.edit_param_ref(); ref && !ref.has_parameter_not_found_action())
    ref.set_parameter_not_found_action_static("Deny");
}

constexpr DefaultsEntry kDefaults[] = {
    {&admissionregistration_v1alpha1::kMutatingAdmissionPolicyBindingType, SetAlphaBindingDefaults},
    {&kMutatingAdmissionPolicyType, SetPolicyDefaults<MutatingAdmissionPolicyEditor>},
    {&kMutatingAdmissionPolicyBindingType, SetBindingDefaults<MutatingAdmissionPolicyBindingEditor>},
    {&kMutatingWebhookConfigurationType, SetMutatingWebhookDefaults},
    {&kValidatingAdmissionPolicyType, SetPolicyDefaults<ValidatingAdmissionPolicyEditor>},
    {&kValidatingAdmissionPolicyBindingType, SetBindingDefaults<ValidatingAdmissionPolicyBindingEditor>},
    {&kValidatingWebhookConfigurationType, SetValidatingWebhookDefaults},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::admissionregistration
