// TokenKey: a key that signs service account tokens, or checks who signed them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth::pki {

// RSA (RS256) or ECDSA on P-256, P-384, P-521 (ES256, ES384, ES512).
// Threads: any; immutable. A copy shares the key.
class TokenKey {
 public:
  // Every key in `pem`: private keys, public keys and certificates. An error when there is
  // none, or one that cannot be used.
  static base::Result<std::vector<TokenKey>, std::string> Parse(std::string_view pem);

  // Names the key in tokens without giving it away: a digest of the public half.
  const std::string& id() const { return id_; }
  std::string_view algorithm() const { return algorithm_; }  // "RS256"
  bool is_private() const { return private_; }

  // In the form that JSON web signatures have. Requires: is_private().
  base::Result<std::string, std::string> Sign(std::string_view data) const;
  bool Verify(std::string_view data, std::string_view signature) const;

  // The public half as a JSON web key.
  std::string Jwk() const;

 private:
  struct Key;
  TokenKey() = default;

  std::shared_ptr<const Key> key_;
  std::string id_;
  std::string_view algorithm_;
  bool private_ = false;
};

// Without padding, with the alphabet of URLs.
std::string Base64Url(std::string_view bytes);
// False when `text` is not of that form.
bool DecodeBase64Url(std::string_view text, std::string& bytes);

}  // namespace keelson::auth::pki
