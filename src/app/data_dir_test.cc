#include "app/data_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/testing/temp_dir.h"

namespace keelson::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(DataDirTest, IsMadeForItsOwnerAlone) {
  base::testing::TempDir temp;
  const auto dir = DataDir::Open(temp.path() / "a" / "b");
  ASSERT_TRUE(dir) << dir.error();
  EXPECT_EQ(fs::status(temp.path() / "a" / "b").permissions(), fs::perms::owner_all);
  EXPECT_EQ(dir->kubeconfig(), temp.path() / "a" / "b" / "admin.kubeconfig");
}

TEST(DataDirTest, HasOneUserAtATime) {
  base::testing::TempDir temp;
  {
    const auto first = DataDir::Open(temp.path());
    ASSERT_TRUE(first);
    EXPECT_THAT(DataDir::Open(temp.path()).error(), HasSubstr("is in use by another process"));
  }
  EXPECT_TRUE(DataDir::Open(temp.path()));
}

TEST(DataDirTest, AFileInItsPlaceIsAnError) {
  base::testing::TempDir temp;
  ASSERT_TRUE(base::WriteFileAtomically(temp.path() / "f", "x", 0600));
  EXPECT_THAT(DataDir::Open(temp.path() / "f").error(), HasSubstr((temp.path() / "f").string()));
}

}  // namespace
}  // namespace keelson::app
