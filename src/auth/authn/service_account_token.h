// Service account tokens as text: signed JSON web tokens.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "auth/authn/jwt.h"
#include "auth/token_issuer.h"
#include "auth/user.h"

namespace keelson::auth {

base::Result<std::string, std::string> SignToken(const pki::TokenKey& key, const TokenClaims& claims);

// A token that is well formed; nothing in it is proven yet.
struct UnverifiedToken {
  Jwt jwt;  // refers to the text it was read from
  TokenClaims claims;
};
std::optional<UnverifiedToken> ReadToken(std::string_view token);

// The tokens that older releases keep in secrets: they name no audience, never expire, and count for as long
// as their secret holds them.
inline constexpr std::string_view kLegacyIssuer = "kubernetes/serviceaccount";
struct LegacyTokenClaims {
  std::string issuer, subject, ns, secret;
  BoundObject account;
  std::vector<std::string> audiences;
};
std::optional<LegacyTokenClaims> ReadLegacyClaims(std::string_view payload);

// The audit annotation of a token that names no audience: its subject.
inline constexpr std::string_view kLegacyTokenKey = "authentication.k8s.io/legacy-token";

// An error unless one of `keys` signed the token; one of those with its kid, if it names one.
base::Result<void, std::string> CheckSignature(const Jwt& token, const std::vector<pki::TokenKey>& keys);

// Who a service account is, without what a token adds.
User ServiceAccountUser(std::string_view ns, const BoundObject& account);

// What to say of a token that is meant for others.
std::string WrongAudiences(std::span<const std::string> meant_for, std::span<const std::string> asked);

// Issues as `issuer`. Requires: key.is_private().
std::unique_ptr<TokenIssuer> MakeTokenIssuer(std::string issuer, pki::TokenKey key);

}  // namespace keelson::auth
