// AuthenticationConfiguration: the file of --authentication-config, and what the --oidc-* flags say in its
// terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth {

// Where a user's name or groups come from: a claim with a prefix, or an expression.
struct ClaimMapping {
  std::optional<std::string> prefix;
  std::string claim, expression;
};

struct ClaimValidationRule {
  std::string claim, required_value;
  std::string expression, message;
};

struct ExtraMapping {
  std::string key, value_expression;
};

struct UserValidationRule {
  std::string expression, message;
};

// One issuer of JSON web tokens and how its tokens become users.
struct JwtIssuerConfig {
  std::string url, discovery_url;
  std::string certificate_authority;  // PEM; empty: the system's
  std::vector<std::string> audiences;
  std::string audience_match_policy, egress_selector_type;
  std::vector<ClaimValidationRule> claim_validation_rules;
  ClaimMapping username, groups, uid;  // `uid` has no prefix
  std::vector<ExtraMapping> extra;
  std::vector<UserValidationRule> user_validation_rules;
};

struct AnonymousConfig {
  bool enabled = false;
  std::vector<std::string> paths;  // that may be asked without credentials; empty: all

  bool operator==(const AnonymousConfig&) const = default;
};

struct AuthenticationConfig {
  std::vector<JwtIssuerConfig> jwt;
  std::optional<AnonymousConfig> anonymous;
};

// Reads YAML or JSON; unknown and repeated fields are errors. What the fields say is not judged.
base::Result<AuthenticationConfig, std::string> ParseAuthenticationConfig(std::string_view text);

}  // namespace keelson::auth
