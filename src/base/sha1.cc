#include "base/sha1.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace keelson::base {

std::array<uint8_t, 20> Sha1(std::string_view bytes) {
  std::array<uint8_t, 20> digest{};
  unsigned size = digest.size();
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
    throw std::runtime_error("SHA-1 is not available");
  return digest;
}

}  // namespace keelson::base
