#include "app/file_reloader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "base/task.h"

namespace keelson::app {
namespace {

class FileReloaderTest : public ::testing::Test {
 protected:
  FileReloaderTest() {
    std::filesystem::create_directories(folder_);
    Put("a", "1");
    Put("b", "1");
  }
  ~FileReloaderTest() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void Run() { base::Spawn(reloader().Run()); }
  FileReloader& reloader() {
    if (!reloader_)
      reloader_.emplace("a thing", std::vector{folder_ / "a", std::filesystem::path(), folder_ / "b"},
                        [this](const std::vector<std::string>& texts) -> base::Result<void, std::string> {
                          ++tried_;
                          if (texts[0] != texts[1]) return base::Err(std::string("they do not match"));
                          taken_ = texts;
                          return {};
                        });
    return *reloader_;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("keelson-reloader-" + std::to_string(::getpid()));
  std::optional<FileReloader> reloader_;
  std::vector<std::string> taken_;
  int tried_ = 0;
};

TEST_F(FileReloaderTest, WhatIsThereAtFirstIsInUse) {
  Run();
  EXPECT_EQ(tried_, 0);
}

TEST_F(FileReloaderTest, ChangesAreTakenTogetherOrNotAtAllAndTriedAgain) {
  Run();
  Put("a", "2");
  Run();
  Run();
  EXPECT_EQ(tried_, 2);
  EXPECT_TRUE(taken_.empty());
  Put("b", "2");
  Run();
  EXPECT_EQ(taken_, (std::vector<std::string>{"2", "2"}));
  Run();
  EXPECT_EQ(tried_, 3);
}

TEST_F(FileReloaderTest, AFileThatIsGoneLeavesThingsAsTheyAre) {
  Run();
  std::filesystem::remove(folder_ / "a");
  Run();
  EXPECT_EQ(tried_, 0);
}

}  // namespace
}  // namespace keelson::app
