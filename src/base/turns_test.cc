#include "base/turns.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace keelson::base {
namespace {

// Runs what was posted, one turn at a time.
class TurnedExecutor final : public Executor {
 public:
  void Post(Work work) override { queue_.push_back(std::move(work)); }
  void PostAfter(std::chrono::nanoseconds, Work work) override { Post(std::move(work)); }
  bool RunTurn() {
    SetCurrent(this);
    auto batch = std::exchange(queue_, {});
    for (auto& work : batch) work();
    SetCurrent(nullptr);
    return !batch.empty();
  }

 private:
  std::vector<Work> queue_;
};

Task<void> LongWork(std::string& log, char name) {
  auto turn = TakeTurn();
  co_await std::move(turn);
  log += name;
}

TEST(TurnsTest, LongWorkRunsOnceInATurnInTheOrderItCame) {
  TurnedExecutor executor;
  std::string log;
  executor.Post([&] {
    for (const char name : {'a', 'b', 'c'}) Spawn(LongWork(log, name));
  });
  // What comes in each turn in between.
  std::vector<std::string> turns;
  while (executor.RunTurn()) {
    log += '.';
    turns.push_back(log);
  }
  EXPECT_EQ(turns.front(), "a.");
  for (size_t i = 1; i < turns.size(); ++i) EXPECT_LE(turns[i].size(), turns[i - 1].size() + 2) << turns[i];
  std::string order = log;
  std::erase(order, '.');
  EXPECT_EQ(order, "abc");

  executor.Post([&] { Spawn(LongWork(log, 'd')); });
  executor.RunTurn();
  EXPECT_TRUE(log.ends_with("d")) << "the line was empty again";
  while (executor.RunTurn()) {
  }
}

TEST(TurnsTest, OutsideOfAnExecutorNobodyWaits) {
  std::string log;
  for (const char name : {'a', 'b'}) Spawn(LongWork(log, name));
  EXPECT_EQ(log, "ab");
}

}  // namespace
}  // namespace keelson::base
