// The indexes of an indexed job, as text: "1,3-5,7".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::api::batch {

// How many indexes the text names, all below `completions`; or what is wrong with it.
base::Result<int32_t, std::string> CountIndexes(std::string_view text, int32_t completions);

// The first index that both texts name; what does not parse is skipped.
std::optional<int32_t> FirstCommonIndex(std::string_view completed, std::string_view failed,
                                        int32_t completions);

}  // namespace keelson::api::batch
