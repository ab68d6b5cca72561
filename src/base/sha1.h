// SHA-1, for protocols that are made of it. It proves nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace keelson::base {

std::array<uint8_t, 20> Sha1(std::string_view bytes);

}  // namespace keelson::base
