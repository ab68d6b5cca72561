// Shuffle sharding: a flow is dealt a few of the queues, its hand, so that two flows rarely have all queues
// in common.
//
// The hash is read as digits in a mixed base: the first chooses one of `deck` queues, the second one of the
// deck - 1 that remain, and so on. Dealing hash 100 from a deck of 8 into a hand of 3: 100 % 8 = 4, 12 % 7 =
// 5, 1 % 6 = 1. The first card is 4. The second is the 5th of those without 4: card 6. The third is the 1st
// of those without 4 and 6: card 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace keelson::server::flow_control {

// Validation allows hands whose choice takes 60 bits of hash at most; 15 cards of a deck of 15 are the most.
inline constexpr int kMaxHandSize = 15;

// Different cards in [0, deck), the same for the same hash. `cards` is what they are written to.
// Requires: 0 < hand_size <= deck, hand_size <= kMaxHandSize.
inline std::span<const int> Deal(uint64_t hash, int deck, int hand_size,
                                 std::array<int, kMaxHandSize>& cards) {
  std::array<int, kMaxHandSize> digits;
  for (int i = 0; i < hand_size; ++i) {
    const auto base = static_cast<uint64_t>(deck - i);
    digits[i] = static_cast<int>(hash % base);
    hash /= base;
  }
  for (int i = 0; i < hand_size; ++i) {
    // The cards that were dealt before are skipped, the last one first.
    int card = digits[i];
    for (int j = i - 1; j >= 0; --j) card += card >= digits[j];
    cards[i] = card;
  }
  return std::span(cards).first(static_cast<size_t>(hand_size));
}

}  // namespace keelson::server::flow_control
