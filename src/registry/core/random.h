// Chance, for choices that nobody should be able to count on.
#pragma once

#include <cstdint>
#include <random>

namespace keelson::registry::core {

// Requires: below > 0. Any thread.
inline uint64_t RandomBelow(uint64_t below) {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_int_distribution<uint64_t>(0, below - 1)(engine);
}

}  // namespace keelson::registry::core
