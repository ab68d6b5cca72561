// Numbers and quoted text as Go's formatting shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace keelson::cel {

// %g: the shortest digits that read back as the same number.
std::string FormatG(double d);
// The same digits without an exponent.
std::string FormatFixed(double d);
// %.<precision>f and %.<precision>e.
std::string FormatFixed(double d, int precision);
std::string FormatExponent(double d, int precision);

// strconv.ParseInt(text, 10, 64) and its like; nothing when they fail.
std::optional<int64_t> ParseInt(std::string_view text, int base = 10);
std::optional<uint64_t> ParseUint(std::string_view text, int base = 10);
std::optional<double> ParseFloat(std::string_view text);
std::optional<bool> ParseBool(std::string_view text);

// %q
std::string GoQuote(std::string_view text);

}  // namespace keelson::cel
