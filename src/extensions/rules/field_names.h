// Names of members as expressions write them: identifiers, in which everything else is escaped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace keelson::extensions {

// "x-y" is "x__dash__y", "in" is "__in__". Nothing: the name cannot be written.
std::optional<std::string> EscapeFieldName(std::string_view name);
// Nothing: it is no escaped name.
std::optional<std::string> UnescapeFieldName(std::string_view escaped);

}  // namespace keelson::extensions
