// CRC-32C (Castagnoli), as storage devices and databases use it: finds damage, not malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::base {

// The CRC-32C of what has the checksum `before` (0: nothing) followed by `bytes`: sums up a file as it grows.
uint32_t Crc32c(uint32_t before, std::string_view bytes);

}  // namespace keelson::base
