// Comparing secrets: how long it takes tells nothing of where they differ.
#pragma once

#include <openssl/crypto.h>

#include <string_view>

namespace keelson::auth {

// Secrets of different lengths are told apart at once, as a length is no secret.
inline bool SecretsEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace keelson::auth
