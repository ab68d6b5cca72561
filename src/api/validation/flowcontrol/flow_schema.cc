#include "api/validation/flowcontrol/flow_schema.h"

#include <algorithm>

#include "api/validation/core/checks.h"
#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/flowcontrol/conditions.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::flowcontrol {
namespace {

using namespace flowcontrol_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr int32_t kMaxMatchingPrecedence = 10000;

bool Has(ScalarList values, std::string_view wanted) {
  return std::ranges::any_of(values, [&](const Value& v) { return v.string() == wanted; });
}

// A list that is either everything, "*", or names; `what` is told in the message. Whether
// it is "*".
bool CheckWildcard(const StructView& rule, ScalarList values, std::string_view member, std::string_view what,
                   const Path& path, ErrorList& errors) {
  if (!Has(values, "*")) return false;
  if (values.size() > 1) {
    errors.Add(field::Invalid(path.Child(member), field::RenderField(rule.node(), member),
                              "if '*' is present, must not specify other " + std::string(what)));
  }
  return true;
}

void CheckVerbs(const StructView& rule, ScalarList verbs, const Path& path, ErrorList& errors) {
  constexpr std::string_view kVerbs[] = {"create", "delete", "deletecollection", "get",  "list",
                                         "patch",  "proxy",  "update",           "watch"};
  const Path at = path.Child("verbs");
  if (verbs.empty()) return errors.Add(field::Required(at, "verbs must contain at least one value"));
  if (CheckWildcard(rule, verbs, "verbs", "verbs", path, errors)) return;
  const bool known = std::ranges::all_of(
      verbs, [&](const Value& v) { return std::ranges::find(kVerbs, v.string()) != std::end(kVerbs); });
  if (!known) errors.Add(field::NotSupported(at, field::RenderField(rule.node(), "verbs"), kVerbs));
}

void CheckUrl(std::string_view url, const Path& path, ErrorList& errors) {
  const auto refuse = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(url), why)); };
  if (url.empty()) return refuse("must not be empty");
  if (url == "/") return;
  if (!url.starts_with('/')) return refuse("must start with slash");
  if (url.find(' ') != url.npos) return refuse("must not contain white-space");
  if (url.find("//") != url.npos) return refuse("must not contain double slash");
  const auto wildcards = std::ranges::count(url, '*');
  if (wildcards > 1 || (wildcards == 1 && !url.ends_with("/*")))
    refuse("wildcard can only do suffix matching");
}

void CheckNonResourceRule(NonResourcePolicyRuleView rule, const Path& path, ErrorList& errors) {
  CheckVerbs(rule, rule.verbs(), path, errors);
  const Path urls = path.Child("nonResourceURLs");
  if (rule.non_resource_urls().empty())
    return errors.Add(field::Required(urls, "nonResourceURLs must contain at least one value"));
  if (CheckWildcard(rule, rule.non_resource_urls(), "nonResourceURLs", "non-resource URLs", path, errors))
    return;
  size_t i = 0;
  for (const Value& url : rule.non_resource_urls()) CheckUrl(url.string(), urls.Index(i++), errors);
}

void CheckNamespaces(ResourcePolicyRuleView rule, const Path& path, ErrorList& errors) {
  const Path at = path.Child("namespaces");
  if (rule.namespaces().empty() && !rule.cluster_scope()) {
    return errors.Add(
        field::Required(at, "resource rules that are not cluster scoped must supply at least one namespace"));
  }
  if (CheckWildcard(rule, rule.namespaces(), "namespaces", "namespaces", path, errors)) return;
  size_t i = 0;
  for (const Value& ns : rule.namespaces()) {
    const Path ns_path = at.Index(i++);
    for (const std::string& message : NameIsDnsLabel(ns.string(), false)) {
      errors.Add(field::Invalid(ns_path, RenderValue(ns.string()),
                                "each member of this list must be '*' or a DNS-1123 label; " + message));
    }
  }
}

void CheckResourceRule(ResourcePolicyRuleView rule, const Path& path, ErrorList& errors) {
  CheckVerbs(rule, rule.verbs(), path, errors);
  if (rule.api_groups().empty()) {
    errors.Add(field::Required(path.Child("apiGroups"), "resource rules must supply at least one api group"));
  } else {
    CheckWildcard(rule, rule.api_groups(), "apiGroups", "api groups", path, errors);
  }
  if (rule.resources().empty()) {
    errors.Add(field::Required(path.Child("resources"), "resource rules must supply at least one resource"));
  } else {
    CheckWildcard(rule, rule.resources(), "resources", "resources", path, errors);
  }
  CheckNamespaces(rule, path, errors);
}

void CheckServiceAccount(ServiceAccountSubjectView account, const Path& path, ErrorList& errors) {
  if (account.name().empty()) {
    errors.Add(field::Required(path.Child("name"), ""));
  } else if (account.name() != "*") {
    errors.AddInvalid(path.Child("name"), account.name(), NameIsDnsSubdomain(account.name(), false));
  }
  if (account.namespace_().empty()) {
    errors.Add(field::Required(path.Child("namespace"), "must specify namespace for service account"));
  } else {
    errors.AddInvalid(path.Child("namespace"), account.namespace_(),
                      NameIsDnsLabel(account.namespace_(), false));
  }
}

void CheckSubject(SubjectView subject, const Path& path, ErrorList& errors) {
  constexpr std::string_view kKinds[] = {"Group", "ServiceAccount", "User"};
  if (std::ranges::find(kKinds, subject.kind()) == std::end(kKinds))
    return errors.Add(field::NotSupported(path.Child("kind"), RenderValue(subject.kind()), kKinds));
  // The member that the kind asks for must be there; the others must not.
  const auto check = [&](bool given, std::string_view member, std::string_view kind, auto rules) {
    const Path at = path.Child(member);
    const std::string name(member), wanted = "'" + std::string(kind) + "'";
    if (subject.kind() != kind) {
      if (given) errors.Add(field::Forbidden(at, name + " is forbidden when subject kind is not " + wanted));
    } else if (!given) {
      errors.Add(field::Required(at, name + " is required when subject kind is " + wanted));
    } else {
      rules(at);
    }
  };
  const auto check_account = [&] {
    check(static_cast<bool>(subject.service_account()), "serviceAccount", "ServiceAccount",
          [&](const Path& at) { CheckServiceAccount(subject.service_account(), at, errors); });
  };
  const auto check_user = [&] {
    check(static_cast<bool>(subject.user()), "user", "User",
          [&](const Path& at) { core::CheckRequired(subject.user().name(), at.Child("name"), errors); });
  };
  const auto check_group = [&] {
    check(static_cast<bool>(subject.group()), "group", "Group",
          [&](const Path& at) { core::CheckRequired(subject.group().name(), at.Child("name"), errors); });
  };
  // The subject's own member comes first.
  if (subject.kind() == "Group") check_group();
  if (subject.kind() == "User") check_user();
  check_account();
  if (subject.kind() != "User") check_user();
  if (subject.kind() != "Group") check_group();
}

void CheckRule(PolicyRulesWithSubjectsView rule, const Path& path, ErrorList& errors) {
  const Path subjects = path.Child("subjects"), resources = path.Child("resourceRules"),
             others = path.Child("nonResourceRules");
  if (rule.subjects().empty())
    errors.Add(field::Required(subjects, "subjects must contain at least one value"));
  size_t i = 0;
  for (const auto subject : rule.subjects()) CheckSubject(subject, subjects.Index(i++), errors);
  if (rule.resource_rules().empty() && rule.non_resource_rules().empty()) {
    errors.Add(
        field::Required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  i = 0;
  for (const auto r : rule.resource_rules()) CheckResourceRule(r, resources.Index(i++), errors);
  i = 0;
  for (const auto r : rule.non_resource_rules()) CheckNonResourceRule(r, others.Index(i++), errors);
}

void CheckPrecedence(int32_t precedence, std::string_view name, const Path& path, ErrorList& errors) {
  const auto refuse = [&](const std::string& why) {
    errors.Add(field::Invalid(path, RenderValue(precedence), why));
  };
  if (precedence <= 0) refuse("must be a positive value");
  if (precedence > kMaxMatchingPrecedence)
    refuse("must not be greater than " + std::to_string(kMaxMatchingPrecedence));
  if (precedence == 1 && name != "exempt")
    refuse("only the schema named 'exempt' may have matchingPrecedence 1");
}

void CheckSpec(FlowSchemaView schema, const Path& path, ErrorList& errors) {
  const auto spec = schema.spec();
  CheckPrecedence(spec.matching_precedence(), schema.metadata().name(), path.Child("matchingPrecedence"),
                  errors);
  if (const auto method = spec.distinguisher_method();
      method && method.type() != "ByNamespace" && method.type() != "ByUser") {
    constexpr std::string_view kMethods[] = {"ByNamespace", "ByUser"};
    const Path at = path.Child("distinguisherMethod");
    errors.Add(field::NotSupported(at.Child("type"), field::RenderUnversioned(method.node()), kMethods));
  }
  const Path level = path.Child("priorityLevelConfiguration"), level_name = level.Child("name");
  if (const std::string_view name = spec.priority_level_configuration().name(); name.empty()) {
    errors.Add(field::Required(level_name, "must reference a priority level"));
  } else {
    errors.AddInvalid(level_name, name, NameIsDnsSubdomain(name, false));
  }
  const Path rules = path.Child("rules");
  size_t i = 0;
  for (const auto rule : spec.rules()) CheckRule(rule, rules.Index(i++), errors);
}

}  // namespace

ErrorList ValidateFlowSchema(FlowSchemaView schema) {
  ErrorList errors;
  const Path path("spec");
  CheckSpec(schema, path, errors);
  for (const BootstrapObject& own : BootstrapFlowSchemas()) {
    if (!own.mandatory || own.name != schema.metadata().name()) continue;
    if (core::SameStruct(schema.spec(), FlowSchemaView(own.doc).spec())) continue;
    errors.Add(field::Invalid(path, field::RenderUnversioned(schema.spec().node()),
                              "spec of '" + std::string(own.name) + "' must equal the fixed value"));
  }
  errors.Append(ValidateFlowSchemaStatus(schema.status()));
  return errors;
}

ErrorList ValidateFlowSchemaStatus(FlowSchemaStatusView status) {
  return ValidateConditions(status.conditions());
}

}  // namespace keelson::api::flowcontrol
