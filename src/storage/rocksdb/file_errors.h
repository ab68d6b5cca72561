// What went wrong with a file of the store.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "storage/errors.h"

namespace keelson::storage {

inline Error FileError(const std::filesystem::path& file, std::string_view what) {
  return {.code = Code::kUnreachable, .detail = file.string() + ": " + std::string(what)};
}
// What errno says.
inline Error SystemError(const std::filesystem::path& file) { return FileError(file, std::strerror(errno)); }

}  // namespace keelson::storage
