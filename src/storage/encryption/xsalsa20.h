// XSalsa20: the stream cipher inside of secretbox, which OpenSSL does not have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace keelson::storage::encryption {

class XSalsa20 {
 public:
  static constexpr size_t kKeySize = 32, kNonceSize = 24;

  // Requires: the sizes above.
  XSalsa20(std::string_view key, std::string_view nonce);

  // Writes `in` combined with the next bytes of the stream to `out`, which may be the same memory.
  void Apply(std::string_view in, char* out);

 private:
  std::array<uint32_t, 16> state_;
  std::array<uint8_t, 64> block_;
  size_t used_ = 64;  // of block_
};

}  // namespace keelson::storage::encryption
