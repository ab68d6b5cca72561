// TokenKey: a key that signs JSON web tokens, or checks who signed them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::auth::pki {

// RSA (signs RS256; checks RS and PS with 256, 384 and 512) or ECDSA on P-256, P-384, P-521 (ES256, ES384,
// ES512, each with its own curve).
// Threads: any; immutable. A copy shares the key.
class TokenKey {
 public:
  // Every key in `pem`: private keys, public keys and certificates. An error when there is
  // none, or one that cannot be used.
  static base::Result<std::vector<TokenKey>, std::string> Parse(std::string_view pem);

  // The public key that a JSON web key describes by its numbers, big-endian. An error when they make no
  // key that can be used.
  static base::Result<TokenKey, std::string> FromRsa(std::string_view modulus, std::string_view exponent);
  // `curve`: "P-256", ... Both coordinates have the length of the curve's field.
  static base::Result<TokenKey, std::string> FromEc(std::string_view curve, std::string_view x,
                                                    std::string_view y);

  // Names the key in tokens without giving it away: a digest of the public half.
  const std::string& id() const { return id_; }
  std::string_view algorithm() const { return algorithm_; }  // "RS256"
  bool is_private() const { return private_; }

  // In the form that JSON web signatures have; by algorithm(), unless another of the key's type is named.
  // Requires: is_private().
  base::Result<std::string, std::string> Sign(std::string_view data, std::string_view algorithm = {}) const;
  // False also for an algorithm that is not of the key's type, whatever the signature: who sends a token
  // chooses its algorithm, but never what a key is used for.
  bool Verify(std::string_view algorithm, std::string_view data, std::string_view signature) const;

  // The public half as a JSON web key.
  std::string Jwk() const;

 private:
  struct Key;
  TokenKey() = default;
  static base::Result<TokenKey, std::string> Make(std::shared_ptr<Key> held, bool is_private);

  std::shared_ptr<const Key> key_;
  std::string id_;
  std::string_view algorithm_;
  bool private_ = false;
};

// Whether `name` is an algorithm that tokens may be signed by: RS, PS or ES with 256, 384 or 512. Neither
// "none" nor the symmetric ones are.
bool IsTokenAlgorithm(std::string_view name);

// Without padding, with the alphabet of URLs.
std::string Base64Url(std::string_view bytes);
// False when `text` is not of that form.
bool DecodeBase64Url(std::string_view text, std::string& bytes);

}  // namespace keelson::auth::pki
