#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/testing/temp_dir.h"

namespace keelson::base {
namespace {

namespace fs = std::filesystem;

TEST(FileTest, WhatWasWrittenIsReadBackWithItsMode) {
  base::testing::TempDir dir;
  const fs::path file = dir.path() / "secret";
  ASSERT_TRUE(WriteFileAtomically(file, "first", 0600));
  ASSERT_TRUE(WriteFileAtomically(file, std::string_view("sec\0nd", 6), 0644));
  EXPECT_EQ(ReadFile(file).value(), std::string_view("sec\0nd", 6));
  struct stat st;
  ASSERT_EQ(::stat(file.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0644u);
}

TEST(FileTest, NoTemporaryFileStaysBehind) {
  base::testing::TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir.path() / "a", "x", 0600));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()), 1);
}

TEST(FileTest, AFileThatExistsIsNotCreatedAgain) {
  base::testing::TempDir temp;
  const auto file = temp.path() / "f";
  ASSERT_TRUE(CreateFileAtomically(file, "first", 0600));
  const auto second = CreateFileAtomically(file, "second", 0600);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), "cannot write " + file.string() + ": File exists");
  EXPECT_EQ(ReadFile(file).value(), "first");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temp.path()), {}), 1);
}

TEST(FileTest, ErrorsNameThePathAndTheReason) {
  base::testing::TempDir dir;
  const std::string file = (dir.path() / "absent").string();
  EXPECT_EQ(ReadFile(file).error(), "cannot open " + file + ": No such file or directory");
  EXPECT_NE(WriteFileAtomically(file + "/below", "x", 0600).error().find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace keelson::base
