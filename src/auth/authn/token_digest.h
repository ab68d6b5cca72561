// How authenticators look tokens up.
#pragma once

#include <openssl/rand.h>

#include <stdexcept>
#include <string_view>

#include "base/siphash.h"

namespace keelson::auth {

// Tokens are looked up by a digest under a key of this process, so how long a lookup takes
// tells nothing about the tokens it did not match.
class TokenDigester {
 public:
  TokenDigester() {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(&key_), sizeof key_) != 1)
      throw std::runtime_error("no random bytes for the token digest key");
  }
  base::SipDigest operator()(std::string_view token) const { return base::SipHash128(key_, token); }

 private:
  base::SipKey key_;
};

}  // namespace keelson::auth
