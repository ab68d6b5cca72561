// Selection: which plugins run, as the flags name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::admission {

// The names in the flags, as upstream has them.
struct Selection {
  std::vector<std::string> enabled;   // besides those that are on by default
  std::vector<std::string> disabled;  // of those that are on by default
};
// What is wrong with it; an error is fit for the command line.
base::Result<void, std::string> CheckSelection(const Selection& selection);
// Whether a plugin is known and on.
bool RunsPlugin(const Selection& selection, std::string_view name);

}  // namespace keelson::admission
