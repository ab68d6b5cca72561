#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "server/flow_control/concurrency_allocation.h"
#include "server/flow_control/retry_after.h"
#include "server/flow_control/seat_demand.h"
#include "server/flow_control/seat_seconds.h"

namespace keelson::server::flow_control {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

MATCHER(IsNear, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) < 1e-6; }

TEST(AllocationTest, TheExampleOfTheHeader) {
  const auto a = AllocateConcurrency(10, {{8, 2, 20}, {8, 6, 20}, {2, 0, 1}});
  ASSERT_TRUE(a) << a.error();
  EXPECT_NEAR(a->fair_proportion, 0.4, 1e-9);
  EXPECT_THAT(a->seats, Pointwise(IsNear(), {3.2, 6.0, 0.8}));
}

TEST(AllocationTest, WithoutBoundsThatMatterSeatsAreProportional) {
  const auto a = AllocateConcurrency(30, {{10, 0, 100}, {5, 0, 100}});
  ASSERT_TRUE(a);
  EXPECT_NEAR(a->fair_proportion, 2, 1e-9);
  EXPECT_THAT(a->seats, Pointwise(IsNear(), {20.0, 10.0}));
}

TEST(AllocationTest, ExactBoundsNeedNoSearch) {
  const auto low = AllocateConcurrency(8, {{10, 5, 20}, {4, 3, 20}});
  ASSERT_TRUE(low);
  EXPECT_THAT(low->seats, Pointwise(IsNear(), {5.0, 3.0}));
  EXPECT_NEAR(low->fair_proportion, 0.5, 1e-9);
  const auto high = AllocateConcurrency(40, {{10, 5, 20}, {4, 3, 20}});
  ASSERT_TRUE(high);
  EXPECT_THAT(high->seats, Pointwise(IsNear(), {20.0, 20.0}));
  EXPECT_NEAR(high->fair_proportion, 5, 1e-9);
}

TEST(AllocationTest, WhoWantsNothingGetsItsShareOfNothing) {
  const auto a = AllocateConcurrency(100, {{0, 0, 100}, {0, 0, 100}});
  ASSERT_TRUE(a);
  EXPECT_THAT(a->seats, Pointwise(IsNear(), {50.0, 50.0}));
  EXPECT_EQ(AllocateConcurrency(0, {{0, 0, 5}})->seats, std::vector<double>{0});
}

TEST(AllocationTest, WhatCannotBeIsAnError) {
  EXPECT_THAT(AllocateConcurrency(1, {{2, 2, 3}}).error(), HasSubstr("lower bounds sum to 2"));
  EXPECT_THAT(AllocateConcurrency(9, {{2, 2, 3}}).error(), HasSubstr("upper bounds sum to 3"));
  EXPECT_THAT(AllocateConcurrency(2, {{1, 2, 3}}).error(), HasSubstr("target is below its lower bound"));
  EXPECT_THAT(AllocateConcurrency(2, {{4, 3, 2}}).error(), HasSubstr("upper bound is below its lower bound"));
  EXPECT_FALSE(AllocateConcurrency(-1, {}));
}

// Any solution is the only one: within bounds, the right sum, and one proportion for all that are not at a
// bound.
TEST(AllocationTest, SolutionsOfManyProblemsHaveTheirProperties) {
  uint64_t state = 1;
  const auto random = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>((state >> 33) % below);
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<AllocationItem> items(1 + static_cast<size_t>(random(8)));
    double low = 0, high = 0;
    for (auto& item : items) {
      item.lower_bound = random(30);
      item.target = item.lower_bound + random(40);
      item.upper_bound = item.lower_bound + random(100);
      low += item.lower_bound;
      high += item.upper_bound;
    }
    const auto sum = static_cast<int64_t>(low + random(static_cast<uint64_t>(high - low) + 1));
    const auto a = AllocateConcurrency(sum, items);
    ASSERT_TRUE(a) << a.error();
    double total = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      total += a->seats[i];
      const double fair = a->fair_proportion * std::max(items[i].target, 0.001);
      EXPECT_NEAR(a->seats[i], std::clamp(fair, items[i].lower_bound, items[i].upper_bound), 1e-6);
    }
    EXPECT_NEAR(total, static_cast<double>(sum), 1e-6);
  }
}

TEST(SeatDemandTest, TheExampleOfTheHeader) {
  base::FakeClock clock;
  SeatDemand demand(clock.SteadyNow());
  demand.Set(4, clock.SteadyNow());
  clock.Advance(6s);
  demand.Set(0, clock.SteadyNow());
  clock.Advance(4s);
  const auto first = demand.Take(clock.SteadyNow());
  EXPECT_NEAR(first.average, 2.4, 1e-9);
  EXPECT_NEAR(first.deviation, 1.959592, 1e-6);
  EXPECT_EQ(first.high_watermark, 4);
  SeatDemandStats stats;
  stats.Update(first);
  EXPECT_NEAR(stats.smoothed, 4.359592, 1e-6);
  clock.Advance(10s);
  stats.Update(demand.Take(clock.SteadyNow()));
  EXPECT_NEAR(stats.smoothed, 0.977 * 4.359592, 1e-6);
  EXPECT_EQ(stats.high_watermark, 0);
}

TEST(SeatDemandTest, APeriodOfNoLengthTellsOnlyTheHighest) {
  base::FakeClock clock;
  SeatDemand demand(clock.SteadyNow());
  demand.Set(7, clock.SteadyNow());
  SeatDemandStats stats{.smoothed = 3};
  stats.Update(demand.Take(clock.SteadyNow()));
  EXPECT_EQ(stats.high_watermark, 7);
  EXPECT_EQ(stats.smoothed, 3);
}

TEST(RetryAfterTest, DoublesWhileManyAreTurnedAwayAndFallsByOne) {
  RetryAfter retry;
  EXPECT_EQ(retry.Drop(100), 1);
  for (int i = 0; i < 10; ++i) retry.Drop(100);
  EXPECT_EQ(retry.Drop(101), 2) << "11 in a second";
  for (int i = 0; i < 10; ++i) retry.Drop(101);
  EXPECT_EQ(retry.Drop(102), 2) << "not again before two seconds are over";
  for (int i = 0; i < 10; ++i) retry.Drop(102);
  EXPECT_EQ(retry.Drop(103), 4);
  EXPECT_EQ(retry.Drop(200), 3) << "nobody for long";
  EXPECT_EQ(retry.Drop(300), 2);
  EXPECT_EQ(retry.Drop(400), 1);
  EXPECT_EQ(retry.Drop(500), 1);
}

TEST(RetryAfterTest, IsNeverMoreThanHalfAMinuteAndTwoSeconds) {
  RetryAfter retry;
  int64_t longest = 0;
  for (int64_t second = 1; second < 200; ++second)
    for (int i = 0; i < 100; ++i) longest = std::max(longest, retry.Drop(second));
  EXPECT_EQ(longest, 32);
}

TEST(SeatSecondsTest, AreFixedPointNumbers) {
  EXPECT_EQ(SeatsTimes(2, 3ms), 600'000u);
  EXPECT_EQ(SeatsTimes(1, -3ms) + SeatsTimes(1, 3ms), 0u);
  EXPECT_EQ(DurationPerSeat(SeatsTimes(25, 5ms), 10), 12'500us);
  EXPECT_EQ(ToString(SeatsTimes(3, 3ms)), "0.00900000ss");
  EXPECT_EQ(ToString(SeatsTimes(2, 61s)), "122.00000000ss");
}

}  // namespace
}  // namespace keelson::server::flow_control
