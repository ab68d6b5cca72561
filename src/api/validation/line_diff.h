// How two texts differ, in the way that upstream's messages show it.
#pragma once

#include <string>
#include <string_view>

namespace keelson::api::field {

// A unified diff with three lines of context and no header. The longest run of lines that both
// have is kept, then the longest before and after it, and so on; lines that a long text has very
// often do not start a run. Of texts too long for that, only the ends are compared.
// Requires: both end with a newline.
std::string LineDiff(std::string_view was, std::string_view now);

}  // namespace keelson::api::field
