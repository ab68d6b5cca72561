// A directory whose files come and go, as it was at one moment.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace keelson::base::testing {

// Copies the files in `from` to the new directory `to`; directories in `from` are left out. If a file changes
// while it copies, it starts over: the copy is what a kill at one moment would leave.
inline void CopyAtOneMoment(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  const auto look = [&] {
    std::map<std::string, std::pair<uintmax_t, fs::file_time_type>> files;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.is_regular_file(gone))
        files[entry.path().filename()] = {entry.file_size(gone), entry.last_write_time(gone)};
    return files;
  };
  for (;;) {
    const auto before = look();
    fs::remove_all(to);
    fs::create_directory(to);
    std::error_code error;
    for (const auto& [name, state] : before)
      if (!error) fs::copy_file(from / name, to / name, error);
    if (!error && look() == before) return;
  }
}

}  // namespace keelson::base::testing
