#include "api/validation/admissionregistration/match.h"

#include <algorithm>
#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/label_selector.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "base/ascii.h"

namespace keelson::api::admissionregistration {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace admissionregistration_v1;

bool Has(ScalarList list, std::string_view item) {
  return std::ranges::any_of(list, [&](const Value& v) { return v.string() == item; });
}

// Not empty, and "*" stands alone.
void CheckWildcard(const StructNode* node, ScalarList list, std::string_view member, std::string_view others,
                   const Path& path, ErrorList& errors) {
  const Path at = path.Child(member);
  if (list.empty()) errors.Add(field::Required(at, ""));
  if (list.size() > 1 && Has(list, "*"))
    errors.Add(field::Invalid(at, field::RenderField(node, member),
                              "if '*' is present, must not specify other " + std::string(others)));
}

// "a", "a/b", "a/*", "*/b", "*", "*/*": no one may include another.
void CheckResources(RuleView rule, const Path& path, ErrorList& errors) {
  const ScalarList resources = rule.resources();
  if (resources.empty()) errors.Add(field::Required(path, ""));
  std::set<std::string_view> whole_resources, whole_subresources;  // of a/*, of */b
  bool plain_last = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string_view both = resources[i].string();
    if (both.empty()) {
      errors.Add(field::Required(path.Index(i), ""));
      continue;
    }
    const size_t slash = both.find('/');
    if (slash == std::string_view::npos) {
      plain_last = both != "*";
      continue;
    }
    const std::string_view resource = both.substr(0, slash), sub = both.substr(slash + 1);
    const auto refuse = [&](const std::string& wider) {
      errors.Add(field::Invalid(path.Index(i), RenderValue(both),
                                "if '" + wider + "' is present, must not specify " + std::string(both)));
    };
    if (whole_resources.contains(resource)) refuse(std::string(resource) + "/*");
    if (whole_subresources.contains(sub)) refuse("*/" + std::string(sub));
    if (sub == "*") whole_resources.insert(resource);
    if (resource == "*") whole_subresources.insert(sub);
  }
  const std::string all = field::RenderField(rule.node(), "resources");
  if (resources.size() > 1 && Has(resources, "*/*"))
    errors.Add(field::Invalid(path, all, "if '*/*' is present, must not specify other resources"));
  if (Has(resources, "*") && plain_last)
    errors.Add(field::Invalid(path, all,
                              "if '*' is present, must not specify other resources without subresources"));
}

void CheckNamedRule(NamedRuleWithOperationsView rule, const Path& path, ErrorList& errors) {
  std::set<std::string_view> seen;
  const Path names = path.Child("resourceNames");
  size_t i = 0;
  for (const Value& value : rule.resource_names()) {
    const Path at = names.Index(i++);
    errors.AddInvalid(at, value.string(), IsPathSegmentName(value.string()));
    if (!seen.insert(value.string()).second) errors.Add(field::Duplicate(at, RenderValue(value.string())));
  }
  CheckRule(rule.rule_with_operations(), path, errors);
}

void CheckRequiredSelector(meta_v1::LabelSelectorView selector, const Path& path, ErrorList& errors) {
  if (!selector) {
    errors.Add(field::Required(path, ""));
  } else {
    errors.Append(ValidateLabelSelector(selector, path));
  }
}

}  // namespace

void CheckRule(RuleWithOperationsView rule, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kOperations[] = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
  static constexpr std::string_view kScopes[] = {"*", "Cluster", "Namespaced"};
  CheckWildcard(rule.node(), rule.operations(), "operations", "operations", path, errors);
  const Path operations = path.Child("operations");
  for (size_t i = 0; i < rule.operations().size(); ++i)
    core::CheckSupported(rule.operations()[i].string(), kOperations, operations.Index(i), errors);

  const RuleView inner = rule.rule();
  CheckWildcard(inner.node(), inner.api_groups(), "apiGroups", "API groups", path, errors);
  CheckWildcard(inner.node(), inner.api_versions(), "apiVersions", "API versions", path, errors);
  const Path versions = path.Child("apiVersions");
  for (size_t i = 0; i < inner.api_versions().size(); ++i)
    core::CheckRequired(inner.api_versions()[i].string(), versions.Index(i), errors);
  CheckResources(inner, path.Child("resources"), errors);
  if (inner.has_scope()) core::CheckSupported(inner.scope(), kScopes, path.Child("scope"), errors);
}

void CheckMatchResources(MatchResourcesView match, const Path& path, ErrorList& errors) {
  if (!match) return;
  core::CheckRequiredSupported(match.match_policy(), kMatchPolicies, path.Child("matchPolicy"), errors);
  CheckRequiredSelector(match.namespace_selector(), path.Child("namespaceSelector"), errors);
  CheckRequiredSelector(match.object_selector(), path.Child("objectSelector"), errors);
  const Path rules = path.Child("resourceRules"), excluded = path.Child("excludeResourceRules");
  for (size_t i = 0; i < match.resource_rules().size(); ++i)
    CheckNamedRule(match.resource_rules()[i], rules.Index(i), errors);
  for (size_t i = 0; i < match.exclude_resource_rules().size(); ++i)
    CheckNamedRule(match.exclude_resource_rules()[i], excluded.Index(i), errors);
}

void CheckMatchConditions(ListView<MatchConditionView> conditions, bool has_params,
                          const ExpressionRules& rules, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxConditions = 64;
  if (conditions.size() > kMaxConditions) errors.Add(field::TooMany(path, conditions.size(), kMaxConditions));
  std::set<std::string_view> names;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Path at = path.Index(i), name = at.Child("name");
    const auto condition = conditions[i];
    const std::string_view expression = base::Trimmed(condition.expression());
    if (expression.empty()) {
      errors.Add(field::Required(at.Child("expression"), ""));
    } else {
      AddProblem(rules.MatchCondition(expression, has_params), expression, at.Child("expression"), errors);
    }
    if (condition.name().empty()) {
      errors.Add(field::Required(name, ""));
      continue;
    }
    core::CheckQualifiedName(condition.name(), name, errors);
    if (!names.insert(condition.name()).second)
      errors.Add(field::Duplicate(name, RenderValue(condition.name())));
  }
}

}  // namespace keelson::api::admissionregistration
