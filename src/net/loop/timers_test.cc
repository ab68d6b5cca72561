#include "net/loop/timers.h"

#include <gtest/gtest.h>

#include <memory>

namespace keelson::net {
namespace {

using namespace std::chrono_literals;

TEST(TimersTest, FireInOrderOfDueTime) {
  Timers timers;
  const TimePoint start = timers.now();
  std::vector<int> fired;
  std::vector<std::unique_ptr<Timer>> all;
  for (int ms : {50, 10, 40, 20, 30}) {
    all.push_back(std::make_unique<Timer>(timers, [&fired, ms] { fired.push_back(ms); }));
    all.back()->Start(std::chrono::milliseconds(ms));
  }
  EXPECT_EQ(timers.NextDue(), start + 10ms);
  timers.Advance(start + 30ms);
  EXPECT_EQ(fired, (std::vector<int>{10, 20, 30}));
  timers.Advance(start + 1s);
  EXPECT_EQ(fired, (std::vector<int>{10, 20, 30, 40, 50}));
  EXPECT_FALSE(timers.NextDue());
}

TEST(TimersTest, ACancelledTimerDoesNotFire) {
  Timers timers;
  int fired = 0;
  auto count = [&] { ++fired; };
  std::vector<std::unique_ptr<Timer>> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(std::make_unique<Timer>(timers, count));
    all.back()->Start(std::chrono::milliseconds(i * 37 % 100));
  }
  for (int i = 0; i < 100; i += 2) all[i]->Cancel();
  for (int i = 1; i < 100; i += 4) all[i].reset();
  timers.Advance(timers.now() + 1s);
  EXPECT_EQ(fired, 25);
}

TEST(TimersTest, StartingAgainMovesTheDueTime) {
  Timers timers;
  const TimePoint start = timers.now();
  int fired = 0;
  Timer timer(timers, [&] { ++fired; });
  timer.Start(10ms);
  timer.Start(100ms);
  timers.Advance(start + 50ms);
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(timer.armed());
  timers.Advance(start + 100ms);
  EXPECT_EQ(fired, 1);
  EXPECT_FALSE(timer.armed());
}

TEST(TimersTest, ACallbackMayStartAndCancelTimers) {
  Timers timers;
  const TimePoint start = timers.now();
  int first = 0, second = 0;
  Timer victim(timers, [&] { ++second; });
  Timer timer(timers, [&] {
    victim.Cancel();
    if (++first < 3) timer.Start(10ms);
  });
  timer.Start(10ms);
  victim.Start(10ms);
  timers.Advance(start + 10ms);
  timers.Advance(start + 20ms);
  timers.Advance(start + 30ms);
  EXPECT_EQ(first, 3);
  EXPECT_LE(second, 1);
  EXPECT_FALSE(timers.NextDue());
}

}  // namespace
}  // namespace keelson::net
