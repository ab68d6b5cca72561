// Programs of this machine: this one, and those that $PATH leads to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::cmd {

// The file that this process runs.
base::Result<std::filesystem::path, std::string> OwnExecutable();

// The first `name` in the folders of `search`, as $PATH lists them, that may be executed; nullopt: none.
// Absolute.
std::optional<std::filesystem::path> FindExecutable(std::string_view name, std::string_view search);

}  // namespace keelson::cmd
