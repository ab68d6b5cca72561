#include "app/core_dumps.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

namespace keelson::app {
namespace {

// Both are of the whole process: each test has one of its own.

TEST(CoreDumpsDeathTest, NeitherAFileNorAProgramGetsOne) {
  const auto forbid = [] {
    ForbidCoreDumps();
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    std::string filter;
    std::ifstream("/proc/self/coredump_filter") >> filter;
    std::exit(limit.rlim_cur <= 1 && filter == "00000000" ? 0 : 1);
  };
  EXPECT_EXIT(forbid(), ::testing::ExitedWithCode(0), "");
}

TEST(CoreDumpsDeathTest, AHardLimitOfZeroIsNoError) {
  const auto forbid = [] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &none);
    ForbidCoreDumps();
    rlimit limit{.rlim_cur = 7, .rlim_max = 7};
    getrlimit(RLIMIT_CORE, &limit);
    std::exit(limit.rlim_cur == 0 && limit.rlim_max == 0 ? 0 : 1);
  };
  EXPECT_EXIT(forbid(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace keelson::app
