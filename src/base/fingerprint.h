// Fingerprint: tells versions of a document apart (ETags, hashed URLs). Not a defence
// against someone who looks for collisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::base {

// 32 upper-case hex digits.
inline std::string Fingerprint(std::string_view bytes) {
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t halves[] = {0xcbf29ce484222325, 0x84222325cbf29ce4};
  for (unsigned char c : bytes) {
    halves[0] = (halves[0] ^ c) * kPrime;
    halves[1] = (halves[1] + c) * kPrime ^ (halves[1] >> 29);
  }
  std::string out;
  for (uint64_t half : halves)
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[half >> shift & 15];
  return out;
}

}  // namespace keelson::base
