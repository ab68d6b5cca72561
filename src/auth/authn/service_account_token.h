// Service account tokens as text: signed JSON web tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/pki/token_key.h"
#include "auth/token_issuer.h"

namespace keelson::auth {

base::Result<std::string, std::string> SignToken(const pki::TokenKey& key, const TokenClaims& claims);

// A token that is well formed; nothing in it is proven yet.
struct UnverifiedToken {
  std::string_view signed_part;  // of the token it was read from
  std::string signature, algorithm, key_id;
  TokenClaims claims;
};
std::optional<UnverifiedToken> ReadToken(std::string_view token);

// Issues as `issuer`. Requires: key.is_private().
std::unique_ptr<TokenIssuer> MakeTokenIssuer(std::string issuer, pki::TokenKey key);

}  // namespace keelson::auth
