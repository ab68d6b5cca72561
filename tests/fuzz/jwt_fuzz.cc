// JSON web tokens, their claims and key sets, as strangers and identity providers send them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/authn/jwt.h"
#include "auth/authn/service_account_token.h"

namespace {

// An RSA key of which no input can have the private half.
const keelson::auth::pki::TokenKey& SomeKey() {
  static const auto key =
      keelson::auth::pki::TokenKey::FromRsa(std::string(256, '\xc5'), std::string("\x01\x00\x01", 3));
  if (!key) std::abort();
  return *key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::auth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto keys = ParseWebKeySet(text);
  if (!keys && keys.error().empty()) std::abort();
  if (keys) {
    // A key that was understood says what it is, and believes no signature of nothing.
    for (const WebKey& key : *keys)
      if (key.key.is_private() || key.key.id().empty() || key.key.Jwk().empty() ||
          key.key.Verify(key.key.algorithm(), "", ""))
        std::abort();
  }
  const auto token = ParseJwt(text);
  if (!token && token.error().empty()) std::abort();
  if (token) {
    if (token->signed_part.size() >= text.size()) std::abort();
    // A token that names no algorithm, or that asks for extensions, is signed by no key.
    const bool signed_now = SomeKey().Verify(token->algorithm, token->signed_part, token->signature);
    if (signed_now || IsSignedBy(*token, {{.id = token->key_id, .algorithm = {}, .key = SomeKey()}}))
      std::abort();
    (void)ReadStandardClaims(token->payload);
  }
  (void)ReadStandardClaims(text);
  // What a service account's token is, any token is.
  if (ReadToken(text) && !token) std::abort();
  return 0;
}
