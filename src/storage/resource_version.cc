#include "storage/resource_version.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "api/validation/quote.h"

namespace keelson::storage {

base::Result<Revision, std::string> ParseResourceVersion(std::string_view text) {
  if (text.empty()) return 0;
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (!digits || error != std::errc()) {
    const std::string quoted = api::Quoted(text);
    return base::Err("resourceVersion: Invalid value: " + quoted + ": strconv.ParseUint: parsing " + quoted +
                     ": " + (digits ? "value out of range" : "invalid syntax"));
  }
  return static_cast<Revision>(std::min<uint64_t>(value, std::numeric_limits<Revision>::max()));
}

}  // namespace keelson::storage
