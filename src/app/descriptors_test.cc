#include "app/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace keelson::app {
namespace {

TEST(DescriptorsTest, TheSoftLimitBecomesTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(RaiseDescriptorLimit(), before.rlim_max);
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
}

TEST(DescriptorsTest, TheStoreKeepsItsShare) {
  EXPECT_EQ(ConnectionsWithin(1024), 512u);
  EXPECT_EQ(ConnectionsWithin(256), 128u);
  EXPECT_EQ(ConnectionsWithin(20'000), 15'000u);
  EXPECT_EQ(ConnectionsWithin(1), 1u);
}

}  // namespace
}  // namespace keelson::app
