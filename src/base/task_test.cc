#include "base/task.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/one_at_a_time.h"
#include "base/sync_wait.h"

namespace keelson::base {
namespace {

// Runs what was posted when told to.
class ManualExecutor final : public Executor {
 public:
  void Post(Work work) override { queue_.push_back(std::move(work)); }
  void PostAfter(std::chrono::nanoseconds, Work work) override { queue_.push_back(std::move(work)); }
  void Run() {
    SetCurrent(this);
    while (!queue_.empty()) {
      auto batch = std::exchange(queue_, {});
      for (auto& work : batch) work();
    }
    SetCurrent(nullptr);
  }

 private:
  std::vector<Work> queue_;
};

Task<int> Double(int n) { co_return 2 * n; }
Task<std::string> Describe(int n) {
  const int doubled = co_await Double(n);
  co_return std::to_string(doubled);
}
Task<void> Note(std::vector<std::string>& log, std::string what) {
  log.push_back(std::move(what));
  co_return;
}
Task<void> AwaitInto(Completion<int> done, int& out, Executor*& where) {
  out = co_await done;
  where = Executor::Current();
}

TEST(TaskTest, ValuesTravelThroughNestedTasks) { EXPECT_EQ(SyncWait(Describe(21)), "42"); }

TEST(TaskTest, ATaskStartsOnlyWhenAwaited) {
  std::vector<std::string> log;
  {
    Task<void> never = Note(log, "never");
  }
  Task<void> later = Note(log, "later");
  EXPECT_TRUE(log.empty());
  Spawn(std::move(later));
  EXPECT_EQ(log, std::vector<std::string>{"later"});
}

TEST(CompletionTest, AValueSetBeforeTheAwaitDoesNotSuspend) {
  Completion<int> done;
  done.Set(7);
  int value = 0;
  Executor* where = nullptr;
  Spawn(AwaitInto(done, value, where));
  EXPECT_EQ(value, 7);
}

TEST(CompletionTest, TheCoroutineResumesOnTheExecutorItAwaitedOn) {
  ManualExecutor loop;
  Completion<int> done;
  int value = 0;
  Executor* where = nullptr;
  loop.Post([&] { Spawn(AwaitInto(done, value, where)); });
  loop.Run();
  std::thread([&] { done.Set(9); }).join();
  EXPECT_EQ(value, 0) << "resumed on the thread that set it";
  loop.Run();
  EXPECT_EQ(value, 9);
  EXPECT_EQ(where, &loop);
}

Task<int> AwaitOnce(Completion<int> done) { co_return co_await done; }

TEST(CompletionTest, SetAndAwaitMayRace) {
  for (int i = 0; i < 500; ++i) {
    Completion<int> done;
    std::jthread setter([done, i] { done.Set(i); });
    EXPECT_EQ(SyncWait(AwaitOnce(done)), i);
  }
}

TEST(OneAtATimeTest, WhoComesLaterWaitsInOrder) {
  OneAtATime turns;
  std::vector<std::string> log;
  std::vector<Completion<bool>> ends(3);
  const auto work = [&](int number) -> Task<void> {
    const auto turn = co_await turns.Take();
    log.push_back("begin " + std::to_string(number));
    co_await ends[number];
    log.push_back("end " + std::to_string(number));
  };
  for (int i = 0; i < 3; ++i) Spawn(work(i));
  EXPECT_EQ(log, (std::vector<std::string>{"begin 0"}));
  for (const auto& end : ends) end.Set(true);
  EXPECT_EQ(log, (std::vector<std::string>{"begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"}));
  Spawn(Note(log, "free"));
  EXPECT_EQ(log.back(), "free");
}

}  // namespace
}  // namespace keelson::base
