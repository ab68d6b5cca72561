// Whole files: read at once, replaced at once.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::base {

// Errors name the path and the reason, ready to be shown.
Result<std::string, std::string> ReadFile(const std::filesystem::path& path);

// Replaces `path` in one step: after a crash it holds the old bytes or the new ones. The
// file never exists with more permissions than `mode`.
Result<void, std::string> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                                              mode_t mode);

// As WriteFileAtomically, but an error when `path` exists, whoever makes it meanwhile.
Result<void, std::string> CreateFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                                               mode_t mode);

// What was renamed, made or removed in `dir` stays so after a power loss.
Result<void, std::string> SyncDirectory(const std::filesystem::path& dir);

}  // namespace keelson::base
