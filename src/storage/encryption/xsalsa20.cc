#include "storage/encryption/xsalsa20.h"

#include <bit>
#include <cstring>

namespace keelson::storage::encryption {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

using Words = std::array<uint32_t, 16>;

constexpr int kRounds = 20;
// "expand 32-byte k", on the diagonal.
constexpr std::array<uint32_t, 4> kSigma = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

uint32_t Word(std::string_view bytes, size_t i) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + 4 * i, 4);
  return word;
}

void QuarterRound(Words& x, size_t a, size_t b, size_t c, size_t d) {
  x[b] ^= std::rotl(x[a] + x[d], 7);
  x[c] ^= std::rotl(x[b] + x[a], 9);
  x[d] ^= std::rotl(x[c] + x[b], 13);
  x[a] ^= std::rotl(x[d] + x[c], 18);
}

void Rounds(Words& x) {
  for (int i = 0; i < kRounds; i += 2) {
    QuarterRound(x, 0, 4, 8, 12);
    QuarterRound(x, 5, 9, 13, 1);
    QuarterRound(x, 10, 14, 2, 6);
    QuarterRound(x, 15, 3, 7, 11);
    QuarterRound(x, 0, 1, 2, 3);
    QuarterRound(x, 5, 6, 7, 4);
    QuarterRound(x, 10, 11, 8, 9);
    QuarterRound(x, 15, 12, 13, 14);
  }
}

// The words of `key` around those of `input`, as Salsa20 lays them out.
Words Matrix(const std::array<uint32_t, 8>& key, const std::array<uint32_t, 4>& input) {
  return {kSigma[0], key[0],   key[1],    key[2], key[3], kSigma[1], input[0], input[1],
          input[2],  input[3], kSigma[2], key[4], key[5], key[6],    key[7],   kSigma[3]};
}

}  // namespace

// The first 16 bytes of the nonce and the key make the key of a Salsa20 (HSalsa20), whose nonce
// is the rest.
XSalsa20::XSalsa20(std::string_view key, std::string_view nonce) {
  std::array<uint32_t, 8> words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = Word(key, i);
  Words x = Matrix(words, {Word(nonce, 0), Word(nonce, 1), Word(nonce, 2), Word(nonce, 3)});
  Rounds(x);
  state_ = Matrix({x[0], x[5], x[10], x[15], x[6], x[7], x[8], x[9]}, {Word(nonce, 4), Word(nonce, 5), 0, 0});
}

void XSalsa20::Apply(std::string_view in, char* out) {
  for (char c : in) {
    if (used_ == block_.size()) {
      Words x = state_;
      Rounds(x);
      for (size_t i = 0; i < x.size(); ++i) x[i] += state_[i];
      std::memcpy(block_.data(), x.data(), block_.size());
      if (++state_[8] == 0) ++state_[9];
      used_ = 0;
    }
    *out++ = static_cast<char>(static_cast<uint8_t>(c) ^ block_[used_++]);
  }
}

}  // namespace keelson::storage::encryption
