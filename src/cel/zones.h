// Zones by their IANA names, from the system's compiled zone files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace keelson::cel {

// Seconds from UTC at an instant; nothing: no such zone. Files are read once.
std::optional<int> NamedZoneOffset(std::string_view name, int64_t unix_seconds);

}  // namespace keelson::cel
