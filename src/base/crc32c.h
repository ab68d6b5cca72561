// CRC-32C (Castagnoli), as storage devices and databases use it: finds damage, not malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::base {

// Of bytes whose beginning has the checksum `before`; 0: of nothing. So a file can be summed up as it grows.
uint32_t Crc32c(uint32_t before, std::string_view bytes);

}  // namespace keelson::base
