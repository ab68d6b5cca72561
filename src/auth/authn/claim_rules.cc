#include "auth/authn/claim_rules.h"

#include <set>

#include "api/validation/domain_path.h"
#include "auth/authn/claim_values.h"
#include "auth/authn/strict_json.h"
#include "cel/kubernetes.h"
#include "cel/program.h"

namespace keelson::auth {
namespace {

namespace field = api::field;
using cel::Value;
using field::ErrorList;
using field::Path;
using field::RenderValue;

// What Go says of a value that is to be a string and is none.
std::string NoText(std::string_view json) {
  const char first = json.empty() ? 'n' : json.front();
  const std::string_view kind = first == '['                   ? "array"
                                : first == '{'                 ? "object"
                                : first == 't' || first == 'f' ? "bool"
                                : first == 'n'                 ? "null"
                                                               : "number";
  return "json: cannot unmarshal " + std::string(kind) + " into Go value of type string";
}

// The two environments of the rules: one knows `claims`, the other `user`.
const cel::Environment& ClaimsEnvironment() {
  static const cel::Environment environment = [] {
    auto options = cel::KubernetesOptions();
    options.variables = {
        {.name = "claims", .type = cel::types::MapOf(cel::types::String(), cel::types::Any())}};
    return cel::Environment(std::move(options));
  }();
  return environment;
}

const cel::Environment& UserEnvironment() {
  static const cel::DeclaredStructs structs = [] {
    using namespace cel::types;
    cel::DeclaredStructs declared;
    const cel::TypeRef strings = ListOf(String());
    declared.Declare("kubernetes.UserInfo", {{"username", String()},
                                             {"uid", String()},
                                             {"groups", strings},
                                             {"extra", MapOf(String(), strings)}});
    return declared;
  }();
  static const cel::Environment environment = [] {
    auto options = cel::KubernetesOptions();
    options.structs.push_back(&structs);
    options.variables = {{.name = "user", .type = cel::types::Struct("kubernetes.UserInfo")}};
    return cel::Environment(std::move(options));
  }();
  return environment;
}

struct CompiledRule {
  cel::Program program;
  std::string expression;
  std::string label;  // the message of a rule, the key of an extra
};

bool NamesClaim(const cel::Expr& expr, std::string_view claim) {
  bool found = false;
  cel::Walk(expr, [&](const cel::Expr& e) {
    const auto is_claims = [](const cel::ExprPtr& p) {
      return p && p->kind == cel::ExprKind::kIdent && p->name == "claims";
    };
    found = found || (e.kind == cel::ExprKind::kSelect && e.name == claim && is_claims(e.target));
    found = found || (e.kind == cel::ExprKind::kCall && e.name == "_?._" && e.args.size() == 2 &&
                      is_claims(e.args[0]) && e.args[1]->kind == cel::ExprKind::kLiteral &&
                      e.args[1]->literal.is(cel::ValueKind::kString) && e.args[1]->literal.text() == claim);
  });
  return found;
}

// Compiles the expressions of one issuer and remembers whether they look at the claims of e-mail addresses.
class RuleCompiler {
 public:
  explicit RuleCompiler(ErrorList& errors) : errors_(errors) {}

  enum class Use : uint8_t { kValue, kCondition };
  std::optional<CompiledRule> Compile(const cel::Environment& environment, Use use,
                                      const std::string& expression, std::string label, const Path& path) {
    const auto checked = environment.Compile(expression);
    if (!checked) return Bad(path, expression, "compilation failed: " + checked.error());
    if (use == Use::kCondition && !checked->type()->is(cel::Type::Kind::kBool))
      return Bad(path, expression, "must evaluate to bool");
    auto program = cel::Program::Plan(*checked, environment);
    if (!program) return Bad(path, expression, "program instantiation failed: " + program.error());
    uses_email_verified = uses_email_verified || NamesClaim(*checked->root, "email_verified");
    last_uses_email = NamesClaim(*checked->root, "email");
    return CompiledRule{*std::move(program), expression, std::move(label)};
  }

  bool uses_email_verified = false, last_uses_email = false;

 private:
  std::optional<CompiledRule> Bad(const Path& path, const std::string& expression, std::string detail) {
    errors_.Add(field::Invalid(path, RenderValue(expression), detail));
    return std::nullopt;
  }

  ErrorList& errors_;
};

class CompiledClaimRules final : public ClaimRules {
 public:
  CompiledClaimRules(JwtIssuerConfig config, const Path& path, ErrorList& errors)
      : config_(std::move(config)) {
    RuleCompiler compiler(errors);
    CompileClaimConditions(compiler, path.Child("claimValidationRules"), errors);
    CompileMappings(compiler, path.Child("claimMappings"), errors);
    CompileUserConditions(compiler, path.Child("userValidationRules"), errors);
  }

  base::Result<User, std::string> UserOf(const RawClaims& claims) const override {
    const Value value = ClaimsValue(claims);
    User user;
    user.name = TRY(UserName(claims, value));
    user.groups = TRY(Groups(claims, value));
    user.uid = TRY(Uid(claims, value));
    TRY(AddExtra(claims, value, user));
    TRY(CheckRequiredClaims(claims));
    TRY(CheckConditions(claim_conditions_, value, "claim validation expression"));
    TRY(CheckConditions(user_conditions_, UserValue(user), "user info validation rule"));
    return user;
  }

 private:
  using Use = RuleCompiler::Use;

  void CompileClaimConditions(RuleCompiler& compiler, const Path& path, ErrorList& errors) {
    std::set<std::string> claims, expressions;
    for (size_t i = 0; i < config_.claim_validation_rules.size(); ++i) {
      const ClaimValidationRule& rule = config_.claim_validation_rules[i];
      const Path at = path.Index(i);
      if (!rule.claim.empty() && !rule.expression.empty()) {
        errors.Add(field::Invalid(at, RenderValue(rule.claim), "claim and expression can't both be set"));
      } else if (rule.claim.empty() && rule.expression.empty()) {
        errors.Add(field::Required(at, "claim or expression is required"));
      } else if (!rule.claim.empty()) {
        if (!rule.message.empty())
          errors.Add(field::Invalid(at.Child("message"), RenderValue(rule.message),
                                    "may not be specified when claim is set"));
        if (!claims.insert(rule.claim).second)
          errors.Add(field::Duplicate(at.Child("claim"), RenderValue(rule.claim)));
      } else {
        if (!rule.required_value.empty())
          errors.Add(field::Invalid(at.Child("requiredValue"), RenderValue(rule.required_value),
                                    "may not be specified when expression is set"));
        const Path expression = at.Child("expression");
        if (!expressions.insert(rule.expression).second)
          errors.Add(field::Duplicate(expression, RenderValue(rule.expression)));
        else
          Add(compiler.Compile(ClaimsEnvironment(), Use::kCondition, rule.expression, rule.message,
                               expression),
              claim_conditions_);
      }
    }
  }

  void CompileMappings(RuleCompiler& compiler, const Path& path, ErrorList& errors) {
    bool name_uses_email = false;
    username_ = CompileMapping(compiler, config_.username, path.Child("username"), /*required=*/true, errors);
    if (username_) name_uses_email = compiler.last_uses_email;
    // Whether an address is verified must decide on the name; groups and uid do not.
    const bool verified = compiler.uses_email_verified;
    groups_ = CompileMapping(compiler, config_.groups, path.Child("groups"), /*required=*/false, errors);
    const Path uid = path.Child("uid");
    if (!config_.uid.claim.empty() && !config_.uid.expression.empty())
      errors.Add(field::Invalid(uid, RenderValue(""), "claim and expression can't both be set"));
    else if (!config_.uid.expression.empty())
      uid_ = compiler.Compile(ClaimsEnvironment(), Use::kValue, config_.uid.expression, "",
                              uid.Child("expression"));
    compiler.uses_email_verified = verified;
    CompileExtra(compiler, path.Child("extra"), errors);
    if (name_uses_email && !compiler.uses_email_verified)
      errors.Add(field::Invalid(
          path.Child("username").Child("expression"), RenderValue(config_.username.expression),
          "claims.email_verified must be used in claimMappings.username.expression or "
          "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is "
          "used in claimMappings.username.expression"));
  }

  static std::optional<CompiledRule> CompileMapping(RuleCompiler& compiler, const ClaimMapping& mapping,
                                                    const Path& path, bool required, ErrorList& errors) {
    if (!mapping.expression.empty() && !mapping.claim.empty()) {
      errors.Add(field::Invalid(path, RenderValue(""), "claim and expression can't both be set"));
    } else if (!mapping.expression.empty()) {
      if (mapping.prefix)
        errors.Add(field::Invalid(path.Child("prefix"), RenderValue(*mapping.prefix),
                                  "may not be specified when expression is set"));
      return compiler.Compile(ClaimsEnvironment(), Use::kValue, mapping.expression, "",
                              path.Child("expression"));
    } else if (!mapping.claim.empty() && !mapping.prefix) {
      errors.Add(field::Required(
          path.Child("prefix"),
          "prefix is required when claim is set. It can be set to an empty string to disable prefixing"));
    } else if (mapping.claim.empty() && required) {
      errors.Add(field::Required(path, "claim or expression is required"));
    }
    return std::nullopt;
  }

  void CompileExtra(RuleCompiler& compiler, const Path& path, ErrorList& errors) {
    std::set<std::string> keys;
    for (size_t i = 0; i < config_.extra.size(); ++i) {
      const ExtraMapping& extra = config_.extra[i];
      const Path at = path.Index(i);
      const Path key = at.Child("key");
      api::CheckDomainPrefixedPath(extra.key, key, errors);
      if (std::ranges::any_of(extra.key, [](char c) { return c >= 'A' && c <= 'Z'; }))
        errors.Add(field::Invalid(key, RenderValue(extra.key), "must be lowercase"));
      if (IsReservedKey(extra.key))
        errors.Add(
            field::Invalid(key, RenderValue(extra.key),
                           "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"));
      const Path expression = at.Child("valueExpression");
      if (!keys.insert(extra.key).second)
        errors.Add(field::Duplicate(key, RenderValue(extra.key)));
      else if (extra.value_expression.empty())
        errors.Add(field::Required(expression, ""));
      else
        Add(compiler.Compile(ClaimsEnvironment(), Use::kValue, extra.value_expression, extra.key, expression),
            extra_);
    }
  }

  void CompileUserConditions(RuleCompiler& compiler, const Path& path, ErrorList& errors) {
    std::set<std::string> expressions;
    for (size_t i = 0; i < config_.user_validation_rules.size(); ++i) {
      const UserValidationRule& rule = config_.user_validation_rules[i];
      const Path at = path.Index(i);
      const Path expression = at.Child("expression");
      if (rule.expression.empty())
        errors.Add(field::Required(expression, ""));
      else if (!expressions.insert(rule.expression).second)
        errors.Add(field::Duplicate(expression, RenderValue(rule.expression)));
      else
        Add(compiler.Compile(UserEnvironment(), Use::kCondition, rule.expression, rule.message, expression),
            user_conditions_);
    }
  }

  static bool IsReservedKey(std::string_view key) {
    const size_t slash = key.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view domain = key.substr(0, slash);
    for (const std::string_view reserved : {"kubernetes.io", "k8s.io"})
      if (domain == reserved || domain.ends_with("." + std::string(reserved))) return true;
    return false;
  }

  static void Add(std::optional<CompiledRule> rule, std::vector<CompiledRule>& rules) {
    if (rule) rules.push_back(*std::move(rule));
  }

  static base::Result<Value, std::string> Run(const CompiledRule& rule, const Value& variable) {
    const Value variables[] = {variable};
    const cel::Outcome outcome = rule.program.Run(variables);
    if (outcome.value.is_error())
      return base::Err("expression '" + rule.expression +
                       "' resulted in error: " + std::string(outcome.value.text()));
    return outcome.value;
  }

  base::Result<std::string, std::string> UserName(const RawClaims& claims, const Value& value) const {
    if (username_) {
      const auto result = Run(*username_, value);
      if (!result) return base::Err("oidc: error evaluating username claim expression: " + result.error());
      if (!result->is(cel::ValueKind::kString))
        return base::Err(
            std::string("oidc: error evaluating username claim expression: username claim "
                        "expression must return a string"));
      if (result->text().empty())
        return base::Err(std::string("oidc: empty username via CEL expression is not allowed"));
      return std::string(result->text());
    }
    const std::string& claim = config_.username.claim;
    const auto name = TextClaim(claims, claim);
    if (!name) return base::Err("oidc: parse username claims " + RenderValue(claim) + ": " + name.error());
    // An address that its owner did not prove to have could be anybody's.
    if (const auto verified = claims.find("email_verified"); claim == "email" && verified != claims.end()) {
      if (verified->second == "false") return base::Err(std::string("oidc: email not verified"));
      if (verified->second != "true")
        return base::Err(std::string("oidc: parse 'email_verified' claim: it is no boolean"));
    }
    return config_.username.prefix.value_or("") + *name;
  }

  base::Result<std::vector<std::string>, std::string> Groups(const RawClaims& claims,
                                                             const Value& value) const {
    if (const auto claim = claims.find(config_.groups.claim);
        !config_.groups.claim.empty() && claim != claims.end()) {
      if (claim->second == "null") return std::vector<std::string>();
      api::Arena arena;
      api::json::JsonReader json(claim->second, arena);
      std::vector<std::string> groups;
      if (!ReadTexts(json, groups))
        return base::Err("oidc: parse groups claim " + RenderValue(config_.groups.claim) + ": " +
                         NoText(claim->second));
      for (std::string& group : groups) group.insert(0, config_.groups.prefix.value_or(""));
      return groups;
    }
    if (!groups_) return std::vector<std::string>();
    const auto result = Run(*groups_, value);
    if (!result) return base::Err("oidc: error evaluating group claim expression: " + result.error());
    auto groups = TextsOf(*result);
    if (!groups) return base::Err("oidc: error evaluating group claim expression: " + groups.error());
    return groups;
  }

  base::Result<std::string, std::string> Uid(const RawClaims& claims, const Value& value) const {
    if (!config_.uid.claim.empty()) {
      auto uid = TextClaim(claims, config_.uid.claim);
      if (!uid)
        return base::Err("oidc: parse uid claim " + RenderValue(config_.uid.claim) + ": " + uid.error());
      return uid;
    }
    if (!uid_) return std::string();
    const auto result = Run(*uid_, value);
    if (!result) return base::Err("oidc: error evaluating uid claim expression: " + result.error());
    if (!result->is(cel::ValueKind::kString))
      return base::Err(std::string(
          "oidc: error evaluating uid claim expression: uid claim expression must return a string"));
    return std::string(result->text());
  }

  base::Result<void, std::string> AddExtra(const RawClaims& claims, const Value& value, User& user) const {
    if (const auto id = TextClaim(claims, "jti"); id && !id->empty())
      user.extra[std::string(kCredentialIdKey)] = {"JTI=" + *id};
    for (const CompiledRule& rule : extra_) {
      const auto result = Run(rule, value);
      if (!result) return base::Err("oidc: error evaluating extra claim expression: " + result.error());
      auto texts = TextsOf(*result);
      if (!texts)
        return base::Err("oidc: error evaluating extra claim expression: " + rule.expression + ": " +
                         texts.error());
      if (!texts->empty()) user.extra[rule.label] = *std::move(texts);
    }
    return {};
  }

  base::Result<void, std::string> CheckRequiredClaims(const RawClaims& claims) const {
    for (const ClaimValidationRule& rule : config_.claim_validation_rules) {
      if (rule.claim.empty()) continue;
      if (!claims.contains(rule.claim))
        return base::Err("oidc: required claim " + rule.claim + " not present in ID token");
      const auto got = TextClaim(claims, rule.claim);
      if (!got) return base::Err("oidc: parse claim " + rule.claim + ": " + got.error());
      if (*got != rule.required_value)
        return base::Err("oidc: required claim " + rule.claim + " value does not match. Got = " + *got +
                         ", want = " + rule.required_value);
    }
    return {};
  }

  static base::Result<void, std::string> CheckConditions(const std::vector<CompiledRule>& rules,
                                                         const Value& value, std::string_view what) {
    const std::string prefix = "oidc: error evaluating " + std::string(what) + ": ";
    for (const CompiledRule& rule : rules) {
      const auto result = Run(rule, value);
      if (!result) return base::Err(prefix + result.error());
      if (!result->is_true())
        return base::Err(prefix + "validation expression '" + rule.expression + "' failed: " + rule.label);
    }
    return {};
  }

  const JwtIssuerConfig config_;
  std::optional<CompiledRule> username_, groups_, uid_;
  std::vector<CompiledRule> extra_, claim_conditions_, user_conditions_;
};

}  // namespace

bool ReadRawClaims(std::string_view payload, RawClaims& claims) {
  api::Arena arena;
  api::json::JsonReader json(payload, arena);
  return ReadStrictObject(json,
                          [&](std::string_view name) {
                            std::string_view value;
                            if (!json.Skip(&value)) return false;
                            claims.emplace(name, value);
                            return true;
                          }) &&
         json.AtEnd();
}

base::Result<std::string, std::string> TextClaim(const RawClaims& claims, std::string_view name) {
  const auto found = claims.find(name);
  if (found == claims.end()) return base::Err(std::string("claim not present"));
  api::Arena arena;
  api::json::JsonReader json(found->second, arena);
  std::string text;
  if (!ReadText(json, text)) return base::Err(NoText(found->second));
  return text;
}

std::shared_ptr<const ClaimRules> ClaimRules::Compile(JwtIssuerConfig config, const Path& path,
                                                      ErrorList& errors) {
  return std::make_shared<const CompiledClaimRules>(std::move(config), path, errors);
}

}  // namespace keelson::auth
