// What upstream says when a resourceVersion or a continue token cannot be served.
#pragma once

#include <string>
#include <string_view>

#include "storage/errors.h"

namespace keelson::storage {

constexpr std::string_view kListExpired = "The resourceVersion for the provided list is too old.";
constexpr std::string_view kContinueExpired =
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of "
    "the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were "
    "created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list.";

inline Error InvalidOption(std::string detail) {
  return {.code = Code::kInvalidOption, .detail = std::move(detail)};
}
inline std::string TooOldForWatch(Revision wanted, Revision oldest) {
  return "too old resource version: " + std::to_string(wanted) + " (" + std::to_string(oldest) + ")";
}
inline std::string TooLarge(Revision wanted, Revision current) {
  return "Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(current);
}

}  // namespace keelson::storage
