// SHA-256, for names that must be the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace keelson::base {

std::array<uint8_t, 32> Sha256(std::string_view bytes);

}  // namespace keelson::base
