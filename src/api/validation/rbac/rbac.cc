#include "api/validation/rbac/rbac.h"

#include <algorithm>

#include "api/validation/core/checks.h"
#include "api/validation/label_selector.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::rbac {
namespace {

using field::ErrorList;
using field::Path;
using namespace rbac_v1;

constexpr std::string_view kOurGroup[] = {kGroupName};

void CheckRule(PolicyRuleView rule, bool namespaced, const Path& path, ErrorList& errors) {
  if (rule.verbs().empty())
    errors.Add(field::Required(path.Child("verbs"), "verbs must contain at least one value"));
  if (!rule.non_resource_urls().empty()) {
    const Path urls = path.Child("nonResourceURLs");
    const auto refuse = [&](std::string_view why) {
      errors.Add(field::Invalid(urls, field::RenderField(rule.node(), "nonResourceURLs"), why));
    };
    if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
    if (!rule.api_groups().empty() || !rule.resources().empty() || !rule.resource_names().empty())
      refuse("rules cannot apply to both regular resources and non-resource URLs");
    return;
  }
  if (rule.api_groups().empty())
    errors.Add(field::Required(path.Child("apiGroups"), "resource rules must supply at least one api group"));
  if (rule.resources().empty())
    errors.Add(field::Required(path.Child("resources"), "resource rules must supply at least one resource"));
}

void CheckRules(ListView<PolicyRuleView> rules, bool namespaced, ErrorList& errors) {
  const Path path("rules");
  for (size_t i = 0; i < rules.size(); ++i) CheckRule(rules[i], namespaced, path.Index(i), errors);
}

void CheckSelectors(AggregationRuleView rule, bool allow_invalid_values, ErrorList& errors) {
  if (!rule) return;
  const Path parent("aggregationRule"), path = parent.Child("clusterRoleSelectors");
  const auto selectors = rule.cluster_role_selectors();
  if (selectors.empty()) {
    errors.Add(
        field::Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  }
  for (size_t i = 0; i < selectors.size(); ++i) {
    auto found = ValidateLabelSelector(selectors[i], path.Index(i), {allow_invalid_values});
    const bool bad = !found.empty();
    errors.Append(std::move(found));
    // What cannot be read as a selector is named once more, as a whole.
    if (bad) errors.Add(field::Invalid(path.Index(i), "null", "invalid label selector."));
  }
}

ErrorList CheckClusterRole(ClusterRoleView role, bool allow_invalid_values) {
  ErrorList errors;
  CheckRules(role.rules(), false, errors);
  CheckSelectors(role.aggregation_rule(), allow_invalid_values, errors);
  return errors;
}

void CheckRoleRef(RoleRefView ref, std::span<const std::string_view> kinds, ErrorList& errors) {
  const Path path("roleRef");
  core::CheckSupported(ref.api_group(), kOurGroup, path.Child("apiGroup"), errors);
  core::CheckSupported(ref.kind(), kinds, path.Child("kind"), errors);
  if (ref.name().empty()) {
    errors.Add(field::Required(path.Child("name"), ""));
  } else {
    errors.AddInvalid(path.Child("name"), ref.name(), ValidateName(ref.name(), false));
  }
}

void CheckSubject(SubjectView subject, bool namespaced, const Path& path, ErrorList& errors) {
  if (subject.name().empty()) errors.Add(field::Required(path.Child("name"), ""));
  const std::string_view kind = subject.kind();
  if (kind == "ServiceAccount") {
    if (!subject.name().empty()) {
      errors.AddInvalid(path.Child("name"), subject.name(), NameIsDnsSubdomain(subject.name(), false));
    }
    static constexpr std::string_view kNoGroup[] = {""};
    core::CheckSupported(subject.api_group(), kNoGroup, path.Child("apiGroup"), errors);
    if (!namespaced && subject.namespace_().empty()) errors.Add(field::Required(path.Child("namespace"), ""));
  } else if (kind == "User" || kind == "Group") {
    core::CheckSupported(subject.api_group(), kOurGroup, path.Child("apiGroup"), errors);
  } else {
    static constexpr std::string_view kKinds[] = {"ServiceAccount", "User", "Group"};
    errors.Add(field::NotSupported(path.Child("kind"), field::RenderValue(kind), kKinds));
  }
}

void CheckSubjects(ListView<SubjectView> subjects, bool namespaced, ErrorList& errors) {
  const Path path("subjects");
  for (size_t i = 0; i < subjects.size(); ++i) CheckSubject(subjects[i], namespaced, path.Index(i), errors);
}

void CheckSameRole(RoleRefView now, RoleRefView was, ErrorList& errors) {
  if (!core::SameStruct(now, was))
    errors.Add(
        field::Invalid(Path("roleRef"), field::RenderUnversioned(now.node()), "cannot change roleRef"));
}

}  // namespace

Messages ValidateName(std::string_view name, bool) { return IsPathSegmentName(name); }

ErrorList ValidateRole(RoleView role) {
  ErrorList errors;
  CheckRules(role.rules(), true, errors);
  return errors;
}

ErrorList ValidateClusterRole(ClusterRoleView role) { return CheckClusterRole(role, false); }

ErrorList ValidateClusterRoleUpdate(ClusterRoleView now, ClusterRoleView was) {
  bool had_invalid = false;
  for (const auto selector : was.aggregation_rule().cluster_role_selectors())
    had_invalid = had_invalid || !ValidateLabelSelector(selector, Path("")).empty();
  return CheckClusterRole(now, had_invalid);
}

ErrorList ValidateRoleBinding(RoleBindingView binding) {
  static constexpr std::string_view kKinds[] = {"Role", "ClusterRole"};
  ErrorList errors;
  CheckRoleRef(binding.role_ref(), kKinds, errors);
  CheckSubjects(binding.subjects(), true, errors);
  return errors;
}

ErrorList ValidateRoleBindingUpdate(RoleBindingView now, RoleBindingView was) {
  ErrorList errors = ValidateRoleBinding(now);
  CheckSameRole(now.role_ref(), was.role_ref(), errors);
  return errors;
}

ErrorList ValidateClusterRoleBinding(ClusterRoleBindingView binding) {
  static constexpr std::string_view kKinds[] = {"ClusterRole"};
  ErrorList errors;
  CheckRoleRef(binding.role_ref(), kKinds, errors);
  CheckSubjects(binding.subjects(), false, errors);
  return errors;
}

ErrorList ValidateClusterRoleBindingUpdate(ClusterRoleBindingView now, ClusterRoleBindingView was) {
  ErrorList errors = ValidateClusterRoleBinding(now);
  CheckSameRole(now.role_ref(), was.role_ref(), errors);
  return errors;
}

}  // namespace keelson::api::rbac
