#include "cmd/executables.h"

#include <unistd.h>

#include <system_error>

namespace keelson::cmd {
namespace fs = std::filesystem;

base::Result<fs::path, std::string> OwnExecutable() {
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (error) return base::Err("cannot tell which file this program is: " + error.message());
  return own;
}

std::optional<fs::path> FindExecutable(std::string_view name, std::string_view search) {
  while (!search.empty()) {
    const size_t colon = search.find(':');
    const std::string_view folder = search.substr(0, colon);
    search.remove_prefix(colon == std::string_view::npos ? search.size() : colon + 1);
    std::error_code error;
    fs::path candidate = fs::absolute(fs::path(folder) / name, error);
    if (!folder.empty() && !error && fs::is_regular_file(candidate, error) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

}  // namespace keelson::cmd
