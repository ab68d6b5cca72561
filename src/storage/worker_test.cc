#include "storage/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "base/sync_wait.h"

namespace keelson::storage {
namespace {

TEST(WorkerTest, JobsRunOneAfterAnotherAndInOrder) {
  std::vector<int> ran;
  {
    Worker worker;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(worker.Run([&ran, i] { ran.push_back(i); }));
  }
  ASSERT_EQ(ran.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(ran[static_cast<size_t>(i)], i);
}

TEST(WorkerTest, AJobAfterAPauseGetsAThreadAgain) {
  Worker worker;
  for (int i = 0; i < 20; ++i) {
    std::promise<void> done;
    worker.Run([&] { done.set_value(); });
    done.get_future().get();
  }
}

TEST(WorkerTest, StoppingEndsAPauseAndRunsWhatWasTaken) {
  Worker worker;
  std::promise<void> begun;
  std::atomic<int> ended{0};
  worker.Run([&] {
    begun.set_value();
    worker.Pause(std::chrono::hours(1));
    EXPECT_TRUE(worker.stopping());
    ++ended;
  });
  worker.Run([&] { ++ended; });
  begun.get_future().get();
  worker.Stop();
  EXPECT_EQ(ended, 2);
  EXPECT_FALSE(worker.Run([&] { ++ended; }));
  EXPECT_EQ(ended, 2);
}

// Two jobs that wait for each other's caller would never end: without a loop the caller does it itself.
TEST(WorkerTest, WithoutAnExecutorACallRunsOnTheCallersThread) {
  Worker worker;
  const auto here = std::this_thread::get_id();
  EXPECT_EQ(base::SyncWait(worker.Call([] { return std::this_thread::get_id(); })), here);
}

}  // namespace
}  // namespace keelson::storage
