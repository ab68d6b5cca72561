#include "api/validation/core/scheduling.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "api/validation/label_selector.h"
#include "api/validation/labels.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

std::string Joined(const Messages& messages) {
  std::string out;
  for (const auto& m : messages) out += (out.empty() ? "" : ";") + m;
  return out;
}

void CheckWeight(int32_t weight, const Path& path, ErrorList& errors) {
  if (weight >= 1 && weight <= 100) return;
  errors.Add(field::Invalid(path.Child("weight"), RenderValue(weight), "must be in the range 1-100"));
}

// `check_values`: preferences may name values that no label can have.
void CheckNodeRequirement(NodeSelectorRequirementView requirement, bool check_values, const Path& path,
                          ErrorList& errors) {
  const Path values = path.Child("values");
  const std::string_view op = requirement.operator_();
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.Add(field::Required(values, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.Add(
          field::Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values().size() != 1) {
      errors.Add(field::Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else {
    errors.Add(field::Invalid(path.Child("operator"), RenderValue(op), "not a valid selector operator"));
  }
  errors.Append(ValidateLabelName(requirement.key(), path.Child("key")));
  if (!check_values) return;
  size_t i = 0;
  for (const Value& value : requirement.values()) {
    errors.AddInvalid(values.Index(i++), value.string(), IsLabelValue(value.string()));
  }
}

// Of a node's fields, only its name can be matched.
void CheckFieldRequirement(NodeSelectorRequirementView requirement, const Path& path, ErrorList& errors) {
  const std::string_view op = requirement.operator_();
  if (op != "In" && op != "NotIn") {
    errors.Add(field::Invalid(path.Child("operator"), RenderValue(op), "not a valid selector operator"));
  } else if (requirement.values().size() != 1) {
    errors.Add(
        field::Required(path.Child("values"),
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (requirement.key() != "metadata.name") {
    errors.Add(
        field::Invalid(path.Child("key"), RenderValue(requirement.key()), "not a valid field selector key"));
    return;
  }
  const Path values = path.Child("values");
  size_t i = 0;
  for (const Value& value : requirement.values()) {
    errors.AddInvalid(values.Index(i++), value.string(), NameIsDnsSubdomain(value.string(), false));
  }
}

void CheckTerm(NodeSelectorTermView term, bool check_values, const Path& path, ErrorList& errors) {
  const Path expressions = path.Child("matchExpressions"), fields = path.Child("matchFields");
  size_t i = 0;
  for (auto requirement : term.match_expressions()) {
    CheckNodeRequirement(requirement, check_values, expressions.Index(i++), errors);
  }
  i = 0;
  for (auto requirement : term.match_fields()) CheckFieldRequirement(requirement, fields.Index(i++), errors);
}

void CheckNodeAffinity(NodeAffinityView affinity, const Path& path, ErrorList& errors) {
  if (auto required = affinity.required_during_scheduling_ignored_during_execution()) {
    CheckNodeSelector(required, path.Child("requiredDuringSchedulingIgnoredDuringExecution"), errors);
  }
  const Path preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  size_t i = 0;
  for (auto term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    const Path at = preferred.Index(i++);
    CheckWeight(term.weight(), at, errors);
    CheckTerm(term.preference(), /*check_values=*/false, at.Child("preference"), errors);
  }
}

void CheckLabelKeys(ScalarList keys, meta_v1::LabelSelectorView selector, const Path& path,
                    ErrorList& errors) {
  if (keys.empty()) return;
  if (!selector)
    return errors.Add(field::Forbidden(path, "must not be specified when labelSelector is not set"));
  size_t i = 0;
  for (const Value& key : keys) errors.Append(ValidateLabelName(key.string(), path.Index(i++)));
}

// Keys whose values are taken from the pod. By now the selector has a requirement for each;
// a second one with the same key was the client's.
void CheckMatchLabelKeys(ScalarList match, ScalarList mismatch, meta_v1::LabelSelectorView selector,
                         const Path& path, ErrorList& errors) {
  CheckLabelKeys(match, selector, path.Child("matchLabelKeys"), errors);
  CheckLabelKeys(mismatch, selector, path.Child("mismatchLabelKeys"), errors);
  if (match.empty()) return;
  std::map<std::string_view, size_t> first_match;  // where each key comes first
  for (size_t i = 0; i < match.size(); ++i) first_match.emplace(match[i].string(), i);
  std::set<std::string_view> selected, mismatched;
  for (const Value& key : mismatch) mismatched.insert(key.string());
  for (const auto& [key, value] : selector.match_labels()) selected.insert(key);
  for (auto expression : selector.match_expressions()) {
    const std::string_view key = expression.key();
    if (const auto found = first_match.find(key); found != first_match.end() && selected.contains(key)) {
      errors.Add(field::Invalid(path.Index(found->second), RenderValue(key),
                                "exists in both matchLabelKeys and labelSelector"));
    }
    selected.insert(key);
  }
  const Path keys = path.Child("matchLabelKeys");
  size_t i = 0;
  for (const Value& key : match) {
    const Path at = keys.Index(i++);
    if (!mismatched.contains(key.string())) continue;
    errors.Add(
        field::Invalid(at, RenderValue(key.string()), "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
}

void CheckPodAffinityTerm(PodAffinityTermView term, const Path& path, ErrorList& errors) {
  errors.Append(ValidateLabelSelector(term.label_selector(), path.Child("labelSelector")));
  errors.Append(ValidateLabelSelector(term.namespace_selector(), path.Child("namespaceSelector")));
  for (const Value& ns : term.namespaces()) {
    errors.AddInvalid(path.Child("namespace"), ns.string(), NameIsDnsLabel(ns.string(), false));
  }
  CheckMatchLabelKeys(term.match_label_keys(), term.mismatch_label_keys(), term.label_selector(), path,
                      errors);
  const Path key = path.Child("topologyKey");
  if (term.topology_key().empty()) errors.Add(field::Required(key, "can not be empty"));
  errors.Append(ValidateLabelName(term.topology_key(), key));
}

// PodAffinity and PodAntiAffinity have the same fields.
template <class View>
void CheckPodAffinity(View affinity, const Path& path, ErrorList& errors) {
  const Path required = path.Child("requiredDuringSchedulingIgnoredDuringExecution");
  size_t i = 0;
  for (auto term : affinity.required_during_scheduling_ignored_during_execution()) {
    CheckPodAffinityTerm(term, required.Index(i++), errors);
  }
  const Path preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  i = 0;
  for (auto term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    const Path at = preferred.Index(i++);
    CheckWeight(term.weight(), at, errors);
    CheckPodAffinityTerm(term.pod_affinity_term(), at.Child("podAffinityTerm"), errors);
  }
}

constexpr std::string_view kTaintEffects[] = {TaintEffect::kNoSchedule, TaintEffect::kPreferNoSchedule,
                                              TaintEffect::kNoExecute};

void CheckTolerationOperator(TolerationView toleration, const Path& path, ErrorList& errors) {
  const std::string_view op = toleration.operator_(), value = toleration.value();
  const Path at = path.Child("operator");
  if (op.empty() || op == "Equal") {
    const Messages messages = IsLabelValue(value);
    if (!messages.empty()) errors.Add(field::Invalid(at, RenderValue(value), Joined(messages)));
  } else if (op == "Exists") {
    if (!value.empty()) {
      errors.Add(field::Invalid(at, RenderValue(value), "value must be empty when `operator` is 'Exists'"));
    }
  } else if (op == "Lt" || op == "Gt") {
    // Comparing values is a feature that is off by default.
    constexpr std::string_view kOperators[] = {"Equal", "Exists", "Lt", "Gt"};
    errors.Add(field::NotSupported(at, RenderValue(op), kOperators));
  } else {
    constexpr std::string_view kOperators[] = {"Equal", "Exists"};
    errors.Add(field::NotSupported(at, RenderValue(op), kOperators));
  }
}

void CheckSpreadPolicy(bool present, std::string_view policy, const Path& path, ErrorList& errors) {
  constexpr std::string_view kPolicies[] = {"Honor", "Ignore"};
  if (present) CheckSupported(policy, kPolicies, path, errors);
}

}  // namespace

void CheckAffinity(AffinityView affinity, const Path& path, ErrorList& errors) {
  if (auto node = affinity.node_affinity()) CheckNodeAffinity(node, path.Child("nodeAffinity"), errors);
  if (auto pod = affinity.pod_affinity()) CheckPodAffinity(pod, path.Child("podAffinity"), errors);
  if (auto anti = affinity.pod_anti_affinity()) CheckPodAffinity(anti, path.Child("podAntiAffinity"), errors);
}

void CheckNodeSelector(NodeSelectorView selector, const Path& path, ErrorList& errors) {
  const Path terms = path.Child("nodeSelectorTerms");
  if (selector.node_selector_terms().empty()) {
    return errors.Add(field::Required(terms, "must have at least one node selector term"));
  }
  size_t i = 0;
  for (auto term : selector.node_selector_terms())
    CheckTerm(term, /*check_values=*/true, terms.Index(i++), errors);
}

void CheckTolerations(ListView<TolerationView> tolerations, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto toleration : tolerations) {
    const Path at = path.Index(i++);
    if (!toleration.key().empty()) errors.Append(ValidateLabelName(toleration.key(), at.Child("key")));
    if (toleration.key().empty() && toleration.operator_() != "Exists") {
      errors.Add(field::Invalid(
          at.Child("operator"), RenderValue(toleration.operator_()),
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\""));
    }
    if (toleration.has_toleration_seconds() && toleration.effect() != TaintEffect::kNoExecute) {
      errors.Add(field::Invalid(at.Child("effect"), RenderValue(toleration.effect()),
                                "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    CheckTolerationOperator(toleration, at, errors);
    if (!toleration.effect().empty())
      CheckSupported(toleration.effect(), kTaintEffects, at.Child("effect"), errors);
  }
}

void CheckTaints(ListView<TaintView> taints, const Path& path, ErrorList& errors) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  size_t i = 0;
  for (auto taint : taints) {
    const Path at = path.Index(i++);
    errors.Append(ValidateLabelName(taint.key(), at.Child("key")));
    const Messages messages = IsLabelValue(taint.value());
    if (!messages.empty())
      errors.Add(field::Invalid(at.Child("value"), RenderValue(taint.value()), Joined(messages)));
    CheckRequiredSupported(taint.effect(), kTaintEffects, at.Child("effect"), errors);
    if (seen.emplace(taint.effect(), taint.key()).second) continue;
    field::Error duplicate = field::Duplicate(at, field::RenderUnversioned(taint.node()));
    duplicate.detail = "taints must be unique by key and effect pair";
    errors.Add(std::move(duplicate));
  }
}

void CheckTopologySpread(ListView<TopologySpreadConstraintView> constraints, const Path& path,
                         ErrorList& errors) {
  constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};
  std::map<std::pair<std::string_view, std::string_view>, size_t> last;  // where each pair comes last
  for (size_t i = 0; i < constraints.size(); ++i)
    last[{constraints[i].topology_key(), constraints[i].when_unsatisfiable()}] = i;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const auto constraint = constraints[i];
    const Path at = path.Index(i);
    const std::string_view action = constraint.when_unsatisfiable();
    CheckPositive(constraint.max_skew(), at.Child("maxSkew"), errors);
    if (constraint.topology_key().empty())
      errors.Add(field::Required(at.Child("topologyKey"), "can not be empty"));
    CheckSupported(action, kActions, at.Child("whenUnsatisfiable"), errors);
    if (last[{constraint.topology_key(), action}] != i) {
      errors.Add(field::Duplicate(
          at.Child("{topologyKey, whenUnsatisfiable}"),
          RenderValue("{" + std::string(constraint.topology_key()) + ", " + std::string(action) + "}")));
    }
    if (constraint.has_min_domains()) {
      const Path domains = at.Child("minDomains");
      CheckPositive(constraint.min_domains(), domains, errors);
      if (action != "DoNotSchedule") {
        errors.Add(field::Invalid(
            domains, RenderValue(constraint.min_domains()),
            "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + std::string(action)));
      }
    }
    CheckSpreadPolicy(constraint.has_node_affinity_policy(), constraint.node_affinity_policy(),
                      at.Child("nodeAffinityPolicy"), errors);
    CheckSpreadPolicy(constraint.has_node_taints_policy(), constraint.node_taints_policy(),
                      at.Child("nodeTaintsPolicy"), errors);
    CheckMatchLabelKeys(constraint.match_label_keys(), ScalarList(), constraint.label_selector(), at, errors);
    errors.Append(ValidateLabelSelector(constraint.label_selector(), at.Child("labelSelector")));
  }
}

}  // namespace keelson::api::core
