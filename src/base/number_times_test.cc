#include "base/number_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

namespace keelson::base {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;

const Clock::SteadyTime kStart{std::chrono::hours(1000)};

template <class Times>
std::map<double, uint64_t> Taken(Times& times, nanoseconds at) {
  std::map<double, uint64_t> taken;
  times.Take(kStart + at, [&](double number, uint64_t nanos) { taken[number] += nanos; });
  return taken;
}

TEST(NumberTimesTest, EachNumberHasTheTimeThatItWasThere) {
  NumberTimes times(kStart);
  times.Set(2, kStart + nanoseconds(10));
  times.Set(2, kStart + nanoseconds(15));
  times.Set(0, kStart + nanoseconds(40));
  EXPECT_THAT(Taken(times, nanoseconds(100)), ElementsAre(::testing::Pair(0, 70), ::testing::Pair(2, 30)));
  EXPECT_THAT(Taken(times, nanoseconds(101)), ElementsAre(::testing::Pair(0, 1)));
}

TEST(NumberTimesTest, LargeNumbersAreToldByTheirMean) {
  NumberTimes times(kStart);
  times.Set(1000, kStart);
  times.Set(4000, kStart + nanoseconds(20));
  EXPECT_THAT(Taken(times, nanoseconds(30)), ElementsAre(::testing::Pair(2000, 30)));
}

TEST(SharedNumberTimesTest, EachNumberHasTheTimeThatItWasThere) {
  SharedNumberTimes times(kStart);
  EXPECT_EQ(times.Add(3, kStart + nanoseconds(320)), 3);
  EXPECT_EQ(times.Add(-1, kStart + nanoseconds(960)), 2);
  EXPECT_EQ(times.Add(-2, kStart + nanoseconds(640)), 0) << "a clock that is behind takes no time away";
  EXPECT_EQ(times.number(), 0);
  EXPECT_THAT(Taken(times, nanoseconds(1600)), ElementsAre(::testing::Pair(0, 960), ::testing::Pair(3, 640)));
  times.Add(1000, kStart + nanoseconds(1600));
  EXPECT_THAT(Taken(times, nanoseconds(1632)), ElementsAre(::testing::Pair(1000, 32)));
}

TEST(SharedNumberTimesTest, ThreadsLoseNoTimeAndNoNumber) {
  SharedNumberTimes times(kStart);
  std::atomic<int64_t> clock{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i)
        times.Add(i % 2 == 0 ? 1 : -1, kStart + nanoseconds(clock.fetch_add(32)));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(times.number(), 0);
  uint64_t sum = 0;
  for (const auto& [number, nanos] : Taken(times, nanoseconds(clock.load()))) {
    EXPECT_LE(number, 4);
    sum += nanos;
  }
  EXPECT_EQ(sum, 40'000u * 32);
}

}  // namespace
}  // namespace keelson::base
