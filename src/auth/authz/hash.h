// Hashes of texts that come in pieces. They only find candidates: the texts are compared after that.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::auth {

// FNV-1a; `seed`: the hash of what goes before.
inline uint64_t HashBytes(std::string_view bytes, uint64_t seed = 0xcbf29ce484222325) {
  for (const unsigned char c : bytes) seed = (seed ^ c) * 0x100000001b3;
  return seed;
}

// Spreads the differences over all bits, as a trie wants them.
inline uint64_t Scatter(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

}  // namespace keelson::auth
