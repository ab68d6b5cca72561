// SipHash-2-4 with a result of 128 bits: a digest under a secret key. Without the key nobody
// can tell it from random bits or find two inputs with the same one, and a short input costs
// some tens of nanoseconds.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace keelson::base {

struct SipKey {
  uint64_t k0 = 0, k1 = 0;
};
using SipDigest = std::array<uint64_t, 2>;
// For maps by digest: any part of one is as good a hash as all of it.
struct SipDigestHash {
  size_t operator()(const SipDigest& digest) const { return digest[0]; }
};

// A key that nobody knows.
inline SipKey RandomSipKey() {
  std::random_device random;
  const auto word = [&] { return uint64_t{random()} << 32 | random(); };
  return {word(), word()};
}

namespace internal {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void Rounds(int n) {
    for (; n > 0; --n) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void Absorb(uint64_t word) {
    v3 ^= word;
    Rounds(2);
    v0 ^= word;
  }
  uint64_t Fold() const { return v0 ^ v1 ^ v2 ^ v3; }
};

}  // namespace internal

inline SipDigest SipHash128(const SipKey& key, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  internal::SipState s{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d ^ 0xee,
                       key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  uint64_t last = static_cast<uint64_t>(bytes.size()) << 56;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    s.Absorb(word);
  }
  for (size_t i = 0; i < bytes.size(); ++i) last |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  s.Absorb(last);
  SipDigest digest;
  s.v2 ^= 0xee;
  s.Rounds(4);
  digest[0] = s.Fold();
  s.v1 ^= 0xdd;
  s.Rounds(4);
  digest[1] = s.Fold();
  return digest;
}

}  // namespace keelson::base
