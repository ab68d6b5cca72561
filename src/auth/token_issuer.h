// Service account tokens: who they are for, and who makes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth {

// An object that must still be the one it was for a token to count.
struct BoundObject {
  std::string name, uid;
};

// What a token says. Times are Unix seconds; 0: not said.
struct TokenClaims {
  std::string issuer, subject, id;
  std::vector<std::string> audiences;
  int64_t issued_at = 0, not_before = 0, expiry = 0;
  std::string ns;
  BoundObject account;
  std::optional<BoundObject> pod, secret, node;
  int64_t warn_after = 0;  // uses after this time are stale, but are let pass
};

// "system:serviceaccount:<ns>:<name>".
std::string ServiceAccountUserName(std::string_view ns, std::string_view name);

// Threads: any.
class TokenIssuer {
 public:
  virtual ~TokenIssuer() = default;
  // A signed token that says so; the issuer puts its own name in.
  virtual base::Result<std::string, std::string> Issue(TokenClaims claims) const = 0;
};

}  // namespace keelson::auth
