#include "endpoints/table/admissionregistration/rows.h"

#include "api/generated/admissionregistration_v1.h"

namespace keelson::endpoints::table::admissionregistration {
namespace {

using namespace api::admissionregistration_v1;

constexpr std::string_view kUnset = "<unset>";

template <class ConfigurationView>
void WebhookRow(const api::StructNode& object, Cells& cells) {
  const ConfigurationView configuration(&object);
  cells.Text(configuration.metadata().name());
  cells.Number(static_cast<int64_t>(configuration.webhooks().size()));
  cells.Age(configuration.metadata().creation_timestamp());
}

template <class PolicyView>
void PolicyRow(const PolicyView& policy, size_t steps, Cells& cells) {
  const auto kind = policy.spec().param_kind();
  cells.Text(policy.metadata().name());
  cells.Number(static_cast<int64_t>(steps));
  cells.Text(kind ? std::string(kind.api_version()) + "/" + std::string(kind.kind()) : std::string(kUnset));
  cells.Age(policy.metadata().creation_timestamp());
}

void ValidatingPolicyRow(const api::StructNode& object, Cells& cells) {
  const ValidatingAdmissionPolicyView policy(&object);
  PolicyRow(policy, policy.spec().validations().size(), cells);
}

void MutatingPolicyRow(const api::StructNode& object, Cells& cells) {
  const MutatingAdmissionPolicyView policy(&object);
  PolicyRow(policy, policy.spec().mutations().size(), cells);
}

// A selector as Go's generated String method prints it.
std::string GoText(api::meta_v1::LabelSelectorView selector) {
  std::string labels, expressions;
  for (const auto& [key, value] : selector.match_labels())
    labels.append(key).append(": ").append(value.string()).append(",");
  for (const auto expression : selector.match_expressions()) {
    std::string values;
    for (const api::Value& value : expression.values())
      values.append(values.empty() ? "" : " ").append(value.string());
    expressions.append("LabelSelectorRequirement{Key:").append(expression.key());
    expressions.append(",Operator:").append(expression.operator_());
    expressions.append(",Values:[").append(values).append("],},");
  }
  return "&LabelSelector{MatchLabels:map[string]string{" + labels +
         "},MatchExpressions:[]LabelSelectorRequirement{" + expressions + "},}";
}

template <class BindingView>
void BindingRow(const api::StructNode& object, Cells& cells) {
  const BindingView binding(&object);
  const ParamRefView ref = binding.spec().param_ref();
  std::string parameter(kUnset);
  if (!ref.name().empty()) {
    parameter = ref.namespace_().empty() ? "*" : std::string(ref.namespace_());
    parameter.append("/").append(ref.name());
  } else if (ref.selector()) {
    parameter = GoText(ref.selector());
  }
  cells.Text(binding.metadata().name());
  cells.Text(binding.spec().policy_name());
  cells.Text(parameter);
  cells.Age(binding.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {
    {"MutatingAdmissionPolicy", MutatingPolicyRow},
    {"MutatingAdmissionPolicyBinding", BindingRow<MutatingAdmissionPolicyBindingView>},
    {"MutatingWebhookConfiguration", WebhookRow<MutatingWebhookConfigurationView>},
    {"ValidatingAdmissionPolicy", ValidatingPolicyRow},
    {"ValidatingAdmissionPolicyBinding", BindingRow<ValidatingAdmissionPolicyBindingView>},
    {"ValidatingWebhookConfiguration", WebhookRow<ValidatingWebhookConfigurationView>},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::admissionregistration
