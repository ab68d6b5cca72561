#include "base/sha256.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace keelson::base {

std::array<uint8_t, 32> Sha256(std::string_view bytes) {
  std::array<uint8_t, 32> digest{};
  unsigned size = digest.size();
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  return digest;
}

}  // namespace keelson::base
