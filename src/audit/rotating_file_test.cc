#include "audit/rotating_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <fstream>
#include <set>

namespace keelson::audit {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class RotatingFileTest : public testing::Test {
 protected:
  RotatingFileTest() {
    std::string name = (fs::temp_directory_path() / "keelson-audit-XXXXXX").string();
    dir_ = mkdtemp(name.data());
  }
  ~RotatingFileTest() override { fs::remove_all(dir_); }

  RotatingFile Open(RotationConfig config) {
    auto file = RotatingFile::Open(path(), config, clock_);
    EXPECT_TRUE(file) << file.error();
    return *std::move(file);
  }
  fs::path path() const { return dir_ / "logs" / "audit.log"; }
  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path().parent_path()))
      names.insert(entry.path().filename().string());
    return names;
  }
  static std::string Content(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path dir_;
  base::FakeClock clock_{base::Clock::WallTime(std::chrono::milliseconds(1'500))};
};

TEST_F(RotatingFileTest, OnlyItsOwnerMayReadIt) {
  RotatingFile file = Open({});
  ASSERT_TRUE(file.Write("a\n"));
  struct stat info{};
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(path().parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(RotatingFileTest, IsPutAsideWhenItIsFull) {
  {
    RotatingFile file = Open({.max_bytes = 4});
    ASSERT_TRUE(file.Write("aa\n"));
    ASSERT_TRUE(file.Write("bb\n"));
    ASSERT_TRUE(file.Write("cc\n"));  // in the same millisecond
  }
  EXPECT_THAT(Files(), ElementsAre("audit-1970-01-01T00-00-01.500.log", "audit-1970-01-01T00-00-01.501.log",
                                   "audit.log"));
  EXPECT_EQ(Content(path()), "cc\n");
  EXPECT_EQ(Content(path().parent_path() / "audit-1970-01-01T00-00-01.500.log"), "aa\n");
  RotatingFile again = Open({.max_bytes = 4});
  EXPECT_EQ(again.room(), 1U);  // it goes on where it ended
  const auto too_long = again.Write("ddddd");
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error(), "write length 5 exceeds maximum file size 4");
}

TEST_F(RotatingFileTest, TooManyAndTooOldOnesAreRemoved) {
  {
    RotatingFile file = Open({.max_bytes = 3, .max_backups = 1});
    for (const char* line : {"aa\n", "bb\n", "cc\n"}) {
      ASSERT_TRUE(file.Write(line));
      clock_.Advance(std::chrono::seconds(1));
    }
  }
  EXPECT_EQ(Files().size(), 2U);
  std::ofstream(path().parent_path() / "audit-notes.log") << "not one of them";
  clock_.Advance(std::chrono::hours(49));
  {
    RotatingFile file = Open({.max_bytes = 3, .max_age_days = 2});
    ASSERT_TRUE(file.Write("dd\n"));
  }
  EXPECT_THAT(Files(), ElementsAre("audit-1970-01-03T01-00-04.500.log", "audit-notes.log", "audit.log"));
}

TEST_F(RotatingFileTest, OldOnesAreCompressed) {
  {
    RotatingFile file = Open({.max_bytes = 3, .compress = true});
    ASSERT_TRUE(file.Write("aa\n"));
    ASSERT_TRUE(file.Write("bb\n"));
  }
  EXPECT_THAT(Files(), ElementsAre("audit-1970-01-01T00-00-01.500.log.gz", "audit.log"));
  gzFile const gz = gzopen((path().parent_path() / "audit-1970-01-01T00-00-01.500.log.gz").c_str(), "rb");
  char text[8] = {};
  EXPECT_EQ(gzread(gz, text, sizeof text), 3);
  gzclose(gz);
  EXPECT_STREQ(text, "aa\n");
}

}  // namespace
}  // namespace keelson::audit
