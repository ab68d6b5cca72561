// FileReloader: takes what files hold anew whenever one of them changes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace keelson::app {

// Threads: one run at a time, on an event loop.
class FileReloader {
 public:
  // Puts the texts of the files in use, which are in their order; an error says why it does not, and what was
  // in use stays.
  using Take = std::function<base::Result<void, std::string>(const std::vector<std::string>& texts)>;

  // `what` names what the files hold, for the log. Empty paths are left out. What they hold now is taken to
  // be in use; a file that cannot be read counts as empty.
  FileReloader(std::string what, const std::vector<std::filesystem::path>& files, Take take);

  // Files that cannot be taken are told of, once, and tried again.
  base::Task<void> Run();

 private:
  base::Result<std::vector<std::string>, std::string> Read() const;
  base::Result<void, std::string> TakeIfChanged();

  const std::string what_;
  std::vector<std::filesystem::path> files_;
  const Take take_;
  std::vector<std::string> texts_;  // that are in use
  std::string problem_;             // that was told last
};

}  // namespace keelson::app
