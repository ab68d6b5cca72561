#include "base/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::base {
namespace {

// The key and inputs of the reference vectors: bytes counting up from 0.
constexpr SipKey kReferenceKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string CountingBytes(size_t n) {
  std::string bytes;
  for (size_t i = 0; i < n; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string Hex(const SipDigest& digest) {
  std::string hex;
  for (const uint64_t word : digest) {
    for (int i = 0; i < 8; ++i) {
      constexpr char kDigits[] = "0123456789ABCDEF";
      const unsigned byte = static_cast<unsigned>(word >> (8 * i)) & 0xff;
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
  }
  return hex;
}

TEST(SipHashTest, GivesTheReferenceVectors) {
  EXPECT_EQ(Hex(SipHash128(kReferenceKey, CountingBytes(0))), "A3817F04BA25A8E66DF67214C7550293");
  EXPECT_EQ(Hex(SipHash128(kReferenceKey, CountingBytes(1))), "DA87C1D86B99AF44347659119B22FC45");
  EXPECT_EQ(Hex(SipHash128(kReferenceKey, CountingBytes(15))), "5493E99933B0A8117E08EC0F97CFC3D9");
}

TEST(SipHashTest, DependsOnTheKeyAndOnEveryByte) {
  const std::string token(40, 't');
  const SipDigest digest = SipHash128(kReferenceKey, token);
  EXPECT_NE(digest, SipHash128({kReferenceKey.k0 + 1, kReferenceKey.k1}, token));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] ^= 1;
    EXPECT_NE(digest, SipHash128(kReferenceKey, other));
  }
  EXPECT_NE(digest, SipHash128(kReferenceKey, token + '\0'));
}

}  // namespace
}  // namespace keelson::base
