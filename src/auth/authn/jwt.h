// JSON web tokens in their compact form (RFC 7515, RFC 7519): three parts of base64url with dots between.
//
//   eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0 . eyJpc3MiOiJodHRwczovL2EifQ . dGhlIHNpZ25hdHVyZQ
//   {"alg":"RS256","kid":"k1"}            {"iss":"https://a"}          the signature, over the text before
//                                                                      its dot
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/pki/token_key.h"
#include "base/result.h"

namespace keelson::auth {

// Longer ones do not fit into a request's head, and nobody is to decode what else is sent as one.
inline constexpr size_t kMaxTokenBytes = size_t{1} << 20;

// A token that is well formed. Nothing in it is proven.
struct Jwt {
  std::string_view signed_part;   // of the text it was parsed from
  std::string algorithm, key_id;  // empty when it names none
  bool unsupported = false;       // its header asks for an extension (`crit`, `b64`): no key has signed it
  std::string payload;            // the JSON text of its claims
  std::string signature;
};

// The error says what is wrong and repeats nothing of the token. Refused: what is no token, and a header that
// names a member twice.
base::Result<Jwt, std::string> ParseJwt(std::string_view token);

// The claims that every reader of a token needs before it trusts one. Times are Unix seconds.
struct StandardClaims {
  std::string issuer;
  std::vector<std::string> audiences;
  std::optional<int64_t> expiry, not_before;
};
// nullopt: `payload` is no JSON object, names a claim twice, or one of these has another type.
std::optional<StandardClaims> ReadStandardClaims(std::string_view payload);

// The signed text of `header` and `payload`, JSON both. Requires: key.is_private().
base::Result<std::string, std::string> SignJwt(const pki::TokenKey& key, std::string_view header,
                                               std::string_view payload, std::string_view algorithm = {});

// A public key as a provider publishes it.
struct WebKey {
  std::string id;         // `kid`; may be empty
  std::string algorithm;  // `alg`; empty: any of the key's type
  pki::TokenKey key;
};

// The keys of a JSON web key set (RFC 7517) that signatures can be checked with. Others are left out:
// symmetric ones, those of unknown types and curves, broken ones, those for encryption. An error when `text`
// is no key set.
base::Result<std::vector<WebKey>, std::string> ParseWebKeySet(std::string_view text);

// Whether one of `keys` signed the token: one that has the token's kid, if it names one, allows its
// algorithm and is of that algorithm's type.
bool IsSignedBy(const Jwt& token, const std::vector<WebKey>& keys);

}  // namespace keelson::auth
