// Service account tokens as text: signed JSON web tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/authn/jwt.h"
#include "auth/token_issuer.h"

namespace keelson::auth {

base::Result<std::string, std::string> SignToken(const pki::TokenKey& key, const TokenClaims& claims);

// A token that is well formed; nothing in it is proven yet.
struct UnverifiedToken {
  Jwt jwt;  // refers to the text it was read from
  TokenClaims claims;
};
std::optional<UnverifiedToken> ReadToken(std::string_view token);

// Issues as `issuer`. Requires: key.is_private().
std::unique_ptr<TokenIssuer> MakeTokenIssuer(std::string issuer, pki::TokenKey key);

}  // namespace keelson::auth
