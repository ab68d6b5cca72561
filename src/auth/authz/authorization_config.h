// AuthorizationConfiguration: the file of --authorization-config, and what the --authorization-* flags say in
// its terms.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth {

struct WebhookAuthorizerConfig {
  std::chrono::nanoseconds authorized_ttl = std::chrono::minutes(5);
  std::chrono::nanoseconds unauthorized_ttl = std::chrono::seconds(30);
  bool cache_authorized = true, cache_unauthorized = true;
  std::chrono::nanoseconds timeout{0};
  std::string review_version, condition_version;  // of the SubjectAccessReview that is sent, and matched
  std::string failure_policy;
  std::string connection_type;
  std::optional<std::string> kubeconfig_file;
  std::vector<std::string> match_conditions;
};

struct AuthorizerConfig {
  std::string type, name;
  std::optional<WebhookAuthorizerConfig> webhook;
};

struct AuthorizationConfig {
  std::vector<AuthorizerConfig> authorizers;  // in the order of asking
};

// The type of the authorizers that may be there more than once, and that a new file may add and remove.
inline constexpr std::string_view kWebhookType = "Webhook";

// The name that an authorizer of a type other than Webhook must have: the type in lower case.
std::string AuthorizerNameOf(std::string_view type);

// Reads YAML or JSON; unknown and repeated fields are errors. What the fields say is not judged.
base::Result<AuthorizationConfig, std::string> ParseAuthorizationConfig(std::string_view text);

// All that is wrong with `config`, in upstream's words; authorizers of `required_types` must be there.
// Looks at the files that it names.
base::Result<void, std::string> ValidateAuthorizationConfig(const AuthorizationConfig& config,
                                                            const std::vector<std::string>& required_types);

}  // namespace keelson::auth
