// Whether a text has control characters, looked for in eight bytes at a time: most texts have none.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace keelson::base {

// Whether a byte of `text` is less than `limit`, which is at most 128.
//
// Eight bytes are a number from which the limit is subtracted in each of them at once: the topmost bit of a
// byte then becomes one where it was less, or where it was more than 128 above the limit, which its own
// topmost bit tells. A byte that borrows from the next may make that one look less, too; but then the answer
// is known. Example, limit 0x20: 0x41 - 0x20 = 0x21 has no topmost bit, 0x0a - 0x20 = 0xea has it and 0x0a
// has not, and 0xe2 - 0x20 = 0xc2 has it as 0xe2 has.
inline bool HasByteBelow(std::string_view text, uint8_t limit) {
  constexpr uint64_t kEach = 0x0101010101010101, kTopmost = kEach << 7;
  const uint64_t limits = kEach * limit;
  const auto is_below = [limits](const char* at) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    return ((bytes - limits) & ~bytes & kTopmost) != 0;
  };
  constexpr size_t kStep = sizeof(uint64_t);
  if (text.size() < kStep) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) < limit) return true;
    return false;
  }
  for (size_t i = 0; i + kStep < text.size(); i += kStep)
    if (is_below(text.data() + i)) return true;
  return is_below(text.data() + text.size() - kStep);  // once more what the last step has seen, and the rest
}

}  // namespace keelson::base
