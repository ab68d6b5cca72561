#include "api/validation/admissionregistration/policies.h"

#include <algorithm>
#include <set>

#include "api/validation/admissionregistration/match.h"
#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
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

std::string Joined(const Messages& messages) {
  std::string text;
  for (const std::string& message : messages) text.append(text.empty() ? "" : ",").append(message);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

void CheckGroupVersion(std::string_view text, const Path& path, ErrorList& errors) {
  const auto refuse = [&](std::string_view part, const std::string& why) {
    if (!why.empty()) errors.Add(field::Invalid(path, RenderValue(part), why));
  };
  if (std::ranges::count(text, '/') > 1)
    return refuse(text, "unexpected GroupVersion string: " + std::string(text));
  const size_t slash = text.find('/');
  const bool grouped = slash != std::string_view::npos;
  const std::string_view group = grouped ? text.substr(0, slash) : "";
  const std::string_view version = grouped ? text.substr(slash + 1) : text;
  if (!group.empty()) refuse(group, Joined(IsDns1123Subdomain(group)));
  if (version.empty()) return refuse(text, "version must be specified");
  refuse(version, Joined(IsDns1035Label(version)));
}

void CheckParamKind(ParamKindView kind, const Path& path, ErrorList& errors) {
  if (!kind) return;
  if (kind.api_version().empty()) {
    errors.Add(field::Required(path.Child("apiVersion"), ""));
  } else {
    CheckGroupVersion(kind.api_version(), path.Child("apiVersion"), errors);
  }
  if (kind.kind().empty()) {
    errors.Add(field::Required(path.Child("kind"), ""));
    return;
  }
  const std::string wrong = Joined(IsDns1035Label(Lower(kind.kind())));
  if (!wrong.empty())
    errors.Add(field::Invalid(path.Child("kind"), RenderValue(kind.kind()),
                              "may have mixed case, but should otherwise match: " + wrong));
}

bool IsCelIdentifier(std::string_view name) {
  static constexpr std::string_view kReserved[] = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  const auto starts = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto goes_on = [&](char c) { return starts(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && starts(name[0]) && std::ranges::all_of(name, goes_on) &&
         std::ranges::find(kReserved, name) == std::end(kReserved);
}

using Expressions = ExpressionRules::Policy;

void CheckVariables(ListView<VariableView> variables, Expressions& expressions, const Path& path,
                    ErrorList& errors) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const Path at = path.Index(i);
    const auto variable = variables[i];
    if (base::Trimmed(variable.name()).empty()) {
      errors.Add(field::Required(at.Child("name"), "name is not specified"));
    } else if (!IsCelIdentifier(variable.name())) {
      errors.Add(
          field::Invalid(at.Child("name"), RenderValue(variable.name()), "must be a valid CEL identifier"));
    }
    if (base::Trimmed(variable.expression()).empty()) {
      errors.Add(field::Required(at.Child("expression"), "expression is not specified"));
    } else {
      AddProblem(expressions.AddVariable(variable.name(), variable.expression()), variable.expression(),
                 at.Child("expression"), errors);
    }
  }
}

void CheckValidation(ValidationView validation, const Expressions& expressions, const Path& path,
                     ErrorList& errors) {
  static constexpr std::string_view kReasons[] = {"Forbidden", "Invalid", "RequestEntityTooLarge"};
  if (base::Trimmed(validation.expression()).empty()) {
    errors.Add(field::Required(path.Child("expression"), "expression is not specified"));
  } else {
    AddProblem(expressions.Check(ExpressionUse::kValidation, validation.expression()),
               validation.expression(), path.Child("expression"), errors);
  }
  const auto refuse = [&](std::string_view member, std::string_view value, std::string_view why) {
    errors.Add(field::Invalid(path.Child(member), RenderValue(value), why));
  };
  const std::string_view computed = validation.message_expression(), message = validation.message();
  if (!computed.empty() && base::Trimmed(computed).empty()) {
    refuse("messageExpression", computed, "must be non-empty if specified");
  } else if (!computed.empty()) {
    AddProblem(expressions.Check(ExpressionUse::kMessage, computed), computed,
               path.Child("messageExpression"), errors);
  }
  if (!message.empty() && base::Trimmed(message).empty()) {
    refuse("message", message, "must be non-empty if specified");
  } else if (base::Trimmed(message).find_first_of("\n\r") != std::string_view::npos) {
    refuse("message", message, "must not contain line breaks");
  }
  if (validation.has_reason())
    core::CheckSupported(validation.reason(), kReasons, path.Child("reason"), errors);
}

void CheckAuditAnnotations(ValidatingAdmissionPolicyView policy, const Expressions& expressions,
                           const Path& path, ErrorList& errors) {
  constexpr size_t kMaxAnnotations = 20, kMaxExpression = 5 * 1024;
  const auto annotations = policy.spec().audit_annotations();
  if (annotations.size() > kMaxAnnotations)
    errors.Add(field::Invalid(path, field::RenderField(policy.spec().node(), "auditAnnotations"),
                              "must not have more than 20 auditAnnotations"));
  std::set<std::string_view> keys;
  for (size_t i = 0; i < annotations.size(); ++i) {
    const Path at = path.Index(i), key = at.Child("key"), value = at.Child("valueExpression");
    const auto annotation = annotations[i];
    const std::string_view name = policy.metadata().name();
    if (name.empty()) {
      errors.Add(field::Invalid(key, RenderValue(annotation.key()), "requires metadata.name be non-empty"));
    } else {
      core::CheckQualifiedName(std::string(name) + "/" + std::string(annotation.key()), key, errors);
    }
    const std::string_view expression = base::Trimmed(annotation.value_expression());
    if (expression.empty()) {
      errors.Add(field::Required(value, "valueExpression is not specified"));
    } else if (expression.size() > kMaxExpression) {
      errors.Add(field::Required(value, "must not exceed 5120 bytes in length"));
    } else {
      AddProblem(expressions.Check(ExpressionUse::kAuditAnnotation, expression),
                 annotation.value_expression(), value, errors);
    }
    if (!keys.insert(annotation.key()).second)
      errors.Add(field::Duplicate(key, RenderValue(annotation.key())));
  }
}

// What both kinds of policies have.
template <class SpecView>
void CheckMatching(SpecView spec, const Path& path, ErrorList& errors) {
  core::CheckRequiredSupported(spec.failure_policy(), kFailurePolicies, path.Child("failurePolicy"), errors);
  CheckParamKind(spec.param_kind(), path.Child("paramKind"), errors);
  const Path constraints = path.Child("matchConstraints");
  if (!spec.match_constraints()) {
    errors.Add(field::Required(constraints, ""));
    return;
  }
  CheckMatchResources(spec.match_constraints(), constraints, errors);
  if (spec.match_constraints().resource_rules().empty())
    errors.Add(field::Required(constraints.Child("resourceRules"), ""));
}

// What is deleted cannot be mutated.
void CheckMutableOperations(MatchResourcesView match, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kOperations[] = {"*", "CONNECT", "CREATE", "UPDATE"};
  const Path rules = path.Child("resourceRules"), operations = rules.Child("operations");
  for (const auto rule : match.resource_rules())
    for (const Value& operation : rule.rule_with_operations().operations())
      core::CheckSupported(operation.string(), kOperations, operations, errors);
}

void CheckMutation(MutationView mutation, const Expressions& expressions, const Path& path,
                   ErrorList& errors) {
  static constexpr std::string_view kTypes[] = {"ApplyConfiguration", "JSONPatch"};
  const std::string_view type = mutation.patch_type();
  core::CheckRequiredSupported(type, kTypes, path.Child("patchType"), errors);
  const auto check = [&](auto wanted, std::string_view wanted_name, auto other, std::string_view other_name) {
    const Path at = path.Child(wanted_name);
    if (!wanted) {
      errors.Add(field::Required(at, "must be specified when patchType is " + std::string(type)));
    } else if (const std::string_view expression = base::Trimmed(wanted.expression()); expression.empty()) {
      errors.Add(field::Required(at.Child("expression"), ""));
    } else {
      const auto use = type == "JSONPatch" ? ExpressionUse::kJsonPatch : ExpressionUse::kApplyConfiguration;
      AddProblem(expressions.Check(use, expression), expression, at.Child("expression"), errors);
    }
    if (other)
      errors.Add(field::Invalid(path.Child(other_name), RenderValue("{" + std::string(other_name) + "}"),
                                "must not be specified when patchType is " + std::string(type)));
  };
  if (type == "JSONPatch")
    check(mutation.json_patch(), "jsonPatch", mutation.apply_configuration(), "applyConfiguration");
  if (type == "ApplyConfiguration")
    check(mutation.apply_configuration(), "applyConfiguration", mutation.json_patch(), "jsonPatch");
}

ErrorList Check(ValidatingAdmissionPolicyView policy, bool check_conditions, const ExpressionRules& rules) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = policy.spec();
  CheckMatching(spec, path, errors);
  const bool has_params = static_cast<bool>(spec.param_kind());
  if (check_conditions)
    CheckMatchConditions(spec.match_conditions(), has_params, rules, path.Child("matchConditions"), errors);
  const std::unique_ptr<Expressions> expressions = rules.NewPolicy(has_params, !spec.variables().empty());
  CheckVariables(spec.variables(), *expressions, path.Child("variables"), errors);
  const Path validations = path.Child("validations"), annotations = path.Child("auditAnnotations");
  if (spec.validations().empty() && spec.audit_annotations().empty()) {
    constexpr std::string_view kSome = "validations or auditAnnotations must contain at least one item";
    errors.Add(field::Required(validations, kSome));
    errors.Add(field::Required(annotations, kSome));
    return errors;
  }
  for (size_t i = 0; i < spec.validations().size(); ++i)
    CheckValidation(spec.validations()[i], *expressions, validations.Index(i), errors);
  CheckAuditAnnotations(policy, *expressions, annotations, errors);
  return errors;
}

ErrorList Check(MutatingAdmissionPolicyView policy, bool check_conditions, const ExpressionRules& rules) {
  ErrorList errors;
  const Path path("spec");
  const auto spec = policy.spec();
  CheckMatching(spec, path, errors);
  CheckMutableOperations(spec.match_constraints(), path.Child("matchConstraints"), errors);
  const bool has_params = static_cast<bool>(spec.param_kind());
  if (check_conditions)
    CheckMatchConditions(spec.match_conditions(), has_params, rules, path.Child("matchConditions"), errors);
  const std::unique_ptr<Expressions> expressions = rules.NewPolicy(has_params, true);
  CheckVariables(spec.variables(), *expressions, path.Child("variables"), errors);
  const Path mutations = path.Child("mutations");
  if (spec.mutations().empty())
    errors.Add(field::Required(mutations, "mutations must contain at least one item"));
  for (size_t i = 0; i < spec.mutations().size(); ++i)
    CheckMutation(spec.mutations()[i], *expressions, mutations.Index(i), errors);
  core::CheckRequiredSupported(spec.reinvocation_policy(), kReinvocationPolicies,
                               path.Child("reinvocationPolicy"), errors);
  return errors;
}

template <class PolicyView>
bool SameConditions(PolicyView now, PolicyView was) {
  return core::SameField(now.spec(), was.spec(), "paramKind") &&
         core::SameField(now.spec(), was.spec(), "matchConditions");
}

void CheckParamRef(ParamRefView ref, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kActions[] = {"Deny", "Allow"};
  if (!ref) return;
  const Path name = path.Child("name"), selector = path.Child("selector");
  constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
  if (!ref.name().empty()) {
    errors.AddInvalid(name, ref.name(), IsPathSegmentName(ref.name()));
    if (ref.selector()) errors.Add(field::Forbidden(name, kExclusive));
  }
  if (ref.selector()) {
    errors.Append(ValidateLabelSelector(ref.selector(), selector));
    if (!ref.name().empty()) errors.Add(field::Forbidden(selector, kExclusive));
  }
  if (ref.name().empty() && !ref.selector())
    errors.Add(field::Required(path, "one of name or selector must be specified"));
  core::CheckRequiredSupported(ref.parameter_not_found_action(), kActions,
                               path.Child("parameterNotFoundAction"), errors);
}

// What both kinds of bindings have.
template <class SpecView>
void CheckBinding(SpecView spec, const Path& path, ErrorList& errors) {
  const Path policy = path.Child("policyName");
  if (spec.policy_name().empty()) {
    errors.Add(field::Required(policy, ""));
  } else {
    errors.AddInvalid(policy, spec.policy_name(), NameIsDnsSubdomain(spec.policy_name(), false));
  }
  CheckParamRef(spec.param_ref(), path.Child("paramRef"), errors);
  CheckMatchResources(spec.match_resources(), path.Child("matchResources"), errors);
}

void CheckActions(ValidatingAdmissionPolicyBindingSpecView spec, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kActions[] = {"Audit", "Deny", "Warn"};
  std::set<std::string_view> seen;
  size_t i = 0;
  for (const Value& action : spec.validation_actions()) {
    const Path at = path.Index(i++);
    core::CheckSupported(action.string(), kActions, at, errors);
    if (!seen.insert(action.string()).second) errors.Add(field::Duplicate(at, RenderValue(action.string())));
  }
  if (seen.contains("Deny") && seen.contains("Warn"))
    errors.Add(field::Invalid(path, field::RenderField(spec.node(), "validationActions"),
                              "must not contain both Deny and Warn (repeating the same validation failure "
                              "information in the API response and headers serves no purpose)"));
  if (seen.empty()) errors.Add(field::Required(path, "at least one validation action is required"));
}

}  // namespace

ErrorList ValidatePolicy(ValidatingAdmissionPolicyView policy, const ExpressionRules& rules) {
  return Check(policy, true, rules);
}
ErrorList ValidatePolicy(MutatingAdmissionPolicyView policy, const ExpressionRules& rules) {
  return Check(policy, true, rules);
}
ErrorList ValidatePolicyUpdate(ValidatingAdmissionPolicyView now, ValidatingAdmissionPolicyView was,
                               const ExpressionRules& rules) {
  return Check(now, !SameConditions(now, was), rules);
}
ErrorList ValidatePolicyUpdate(MutatingAdmissionPolicyView now, MutatingAdmissionPolicyView was,
                               const ExpressionRules& rules) {
  return Check(now, !SameConditions(now, was), rules);
}

ErrorList ValidatePolicyStatusUpdate(ValidatingAdmissionPolicyView now) {
  ErrorList errors;
  const Path status("status"), checking = status.Child("typeChecking"),
                               warnings = checking.Child("expressionWarnings");
  size_t i = 0;
  for (const auto warning : now.status().type_checking().expression_warnings()) {
    const Path at = warnings.Index(i++);
    core::CheckRequired(warning.warning(), at.Child("warning"), errors);
    core::CheckRequired(base::Trimmed(warning.field_ref()), at.Child("fieldRef"), errors);
  }
  errors.Append(ValidateConditions(now.status().conditions(), status.Child("conditions")));
  return errors;
}

ErrorList ValidateBinding(ValidatingAdmissionPolicyBindingView binding) {
  ErrorList errors;
  const Path path("spec");
  CheckBinding(binding.spec(), path, errors);
  CheckActions(binding.spec(), path.Child("validationActions"), errors);
  return errors;
}

ErrorList ValidateBinding(MutatingAdmissionPolicyBindingView binding) {
  ErrorList errors;
  const Path path("spec");
  CheckBinding(binding.spec(), path, errors);
  CheckMutableOperations(binding.spec().match_resources(), path.Child("matchResources"), errors);
  return errors;
}

}  // namespace keelson::api::admissionregistration
