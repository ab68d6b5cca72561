#include "base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace keelson::base {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}
constexpr auto kTable = MakeTable();

uint32_t ByTable(uint32_t crc, const char* data, size_t size) {
  for (; size > 0; ++data, --size) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(*data)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(uint32_t crc, const char* data, size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, data, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++data, --size) crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(*data));
  return crc;
}
const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
#endif

}  // namespace

uint32_t Crc32c(uint32_t before, std::string_view bytes) {
#if defined(__x86_64__)
  if (kHasInstruction) return ~ByInstruction(~before, bytes.data(), bytes.size());
#endif
  return ~ByTable(~before, bytes.data(), bytes.size());
}

}  // namespace keelson::base
