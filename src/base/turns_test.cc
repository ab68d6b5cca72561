#include "base/turns.h"

#include <gtest/gtest.h>

#include <functional>
#include <regex>
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
  co_await TakeTurn();
  log += name;
}

TEST(TurnsTest, LongWorkRunsOnceInATurnInTheOrderItCame) {
  TurnedExecutor executor;
  std::string log;
  executor.Post([&] {
    for (const char name : {'a', 'b', 'c'}) Spawn(LongWork(log, name));
  });
  // A request that comes in each turn, and is answered in it.
  std::function<void()> answer = [&] {
    log += '.';
    if (log.find('c') == std::string::npos) executor.Post(answer);
  };
  executor.Post(answer);
  while (executor.RunTurn()) {
  }
  // It is answered between any two pieces of long work.
  EXPECT_TRUE(std::regex_match(log, std::regex(R"(a\.+b\.+c\.+)"))) << log;

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
