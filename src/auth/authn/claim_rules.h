// ClaimRules: how the claims of one issuer's tokens become a user, compiled.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/validation/field.h"
#include "auth/authn/authentication_config.h"
#include "auth/user.h"
#include "base/result.h"

namespace keelson::auth {

// The claims of a token by their names, each as the JSON text it was.
using RawClaims = std::map<std::string, std::string, std::less<>>;
// False: `payload` is no JSON object, or names a claim twice.
bool ReadRawClaims(std::string_view payload, RawClaims& claims);
// A claim that is a string; the error says what it is else.
base::Result<std::string, std::string> TextClaim(const RawClaims& claims, std::string_view name);

// Threads: immutable.
class ClaimRules {
 public:
  // Judges and compiles what `config` says about claims; errors, with upstream's words, are added with paths
  // below `path`, and the result must not be used then.
  static std::shared_ptr<const ClaimRules> Compile(JwtIssuerConfig config, const api::field::Path& path,
                                                   api::field::ErrorList& errors);
  virtual ~ClaimRules() = default;

  // The user whom the claims name, or why they name none. Errors start with "oidc: ".
  virtual base::Result<User, std::string> UserOf(const RawClaims& claims) const = 0;
};

// Judges all of `config`: the issuers against each other and against `disallowed_issuers`, which are this
// server's own. One error for all that is wrong; else the rules of each issuer, in order.
base::Result<std::vector<std::shared_ptr<const ClaimRules>>, std::string> CompileAuthenticationConfig(
    const AuthenticationConfig& config, const std::vector<std::string>& disallowed_issuers);

}  // namespace keelson::auth
