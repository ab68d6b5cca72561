#include "app/file_reloader.h"

#include <utility>

#include "base/file.h"
#include "base/log.h"

namespace keelson::app {

FileReloader::FileReloader(std::string what, const std::vector<std::filesystem::path>& files, Take take)
    : what_(std::move(what)), take_(std::move(take)) {
  for (const auto& file : files) {
    if (file.empty()) continue;
    files_.push_back(file);
    texts_.push_back(base::ReadFile(file).value_or(""));
  }
}

base::Result<std::vector<std::string>, std::string> FileReloader::Read() const {
  std::vector<std::string> texts;
  for (const auto& file : files_) texts.push_back(TRY(base::ReadFile(file)));
  return texts;
}

base::Result<void, std::string> FileReloader::TakeIfChanged() {
  auto texts = TRY(Read());
  if (texts == texts_) return {};
  TRY(take_(texts));
  texts_ = std::move(texts);
  base::Log(base::LogLevel::kInfo, what_ + " was read anew", {{"file", files_.front().string()}});
  return {};
}

base::Task<void> FileReloader::Run() {
  const auto taken = TakeIfChanged();
  std::string problem = taken ? "" : taken.error();
  if (!taken && problem != problem_)
    base::Log(base::LogLevel::kError, what_ + " has changed and stays as it was in use",
              {{"file", files_.front().string()}, {"why", problem}});
  problem_ = std::move(problem);
  co_return;
}

}  // namespace keelson::app
