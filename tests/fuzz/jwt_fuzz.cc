// JSON web tokens, their claims and key sets, as strangers and identity providers send them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/authn/jwt.h"
#include "auth/authn/service_account_token.h"

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
    if (token->algorithm.empty() || token->signed_part.size() >= text.size()) std::abort();
    if (IsSignedBy(*token, {})) std::abort();
    (void)ReadStandardClaims(token->payload);
  }
  (void)ReadStandardClaims(text);
  // What a service account's token is, any token is.
  if (ReadToken(text) && !token) std::abort();
  return 0;
}
