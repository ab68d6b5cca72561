// How the smaller subcommands read their arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::cmd {

// Reads `args` into what `cli` was told of. An exit code when the command ends with that: `usage` was asked
// for, or an argument is wrong, which has been said.
std::optional<int> ReadArguments(CLI::App& cli, std::string_view usage, std::span<const std::string> args);

// The data directory that `given` names; that of serve without flags when it is empty.
base::Result<std::filesystem::path, std::string> DataDirOf(const std::string& given);

// The duration that `text` says, in whole seconds, one at least; errors name `flag`.
base::Result<std::chrono::seconds, std::string> PositiveDuration(std::string_view flag,
                                                                 const std::string& text);

}  // namespace keelson::cmd
