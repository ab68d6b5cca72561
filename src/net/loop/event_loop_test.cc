#include "net/loop/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "base/handoff.h"
#include "base/task.h"

namespace keelson::net {
namespace {

using namespace std::chrono_literals;

class EventLoopTest : public ::testing::Test {
 protected:
  void SetUp() override {
    thread_ = std::thread([this] { loop.Run(); });
  }
  void TearDown() override {
    loop.Stop();
    thread_.join();
  }
  // Returns once everything posted before has run.
  void Settle() {
    std::atomic<bool> done{false};
    loop.Post([&] { done = true; });
    while (!done) std::this_thread::yield();
  }

  EventLoop loop;

 private:
  std::thread thread_;
};

TEST_F(EventLoopTest, RunsPostedWorkInOrderOnItsThread) {
  std::vector<int> order;
  std::atomic<bool> own{true};
  for (int i = 0; i < 1000; ++i) {
    loop.Post([&, i] {
      order.push_back(i);
      if (base::Executor::Current() != &loop) own = false;
    });
  }
  Settle();
  ASSERT_EQ(order.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(own);
}

TEST_F(EventLoopTest, ManyThreadsMayPost) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) loop.Post([&] { ++ran; });
    });
  }
  for (auto& t : threads) t.join();
  Settle();
  EXPECT_EQ(ran, 20'000);
}

TEST_F(EventLoopTest, DelayedWorkRunsInOrderOfItsTime) {
  std::vector<int> order;
  std::atomic<int> ran{0};
  for (int ms : {30, 10, 20}) {
    loop.PostAfter(std::chrono::milliseconds(ms), [&, ms] {
      order.push_back(ms);
      ++ran;
    });
  }
  while (ran < 3) std::this_thread::yield();
  EXPECT_EQ(order, (std::vector<int>{10, 20, 30}));
}

TEST_F(EventLoopTest, ACompletionResumesOnTheLoop) {
  base::Completion<int> completion;
  std::atomic<int> got{0};
  std::atomic<bool> own{false};
  auto wait = [](base::Completion<int> c, std::atomic<int>& out, std::atomic<bool>& on_loop,
                 EventLoop& l) -> base::Task<void> {
    const int value = co_await c;
    on_loop = base::Executor::Current() == &l;
    out = value;
  };
  loop.Post([&] { base::Spawn(wait(completion, got, own, loop)); });
  Settle();
  completion.Set(7);
  while (got == 0) std::this_thread::yield();
  EXPECT_EQ(got, 7);
  EXPECT_TRUE(own);
}

class CountBytes final : public FdHandler {
 public:
  explicit CountBytes(int fd) : fd_(fd) {}
  void OnEvents(uint32_t) override {
    char buffer[64];
    ssize_t n;
    while ((n = read(fd_, buffer, sizeof(buffer))) > 0) bytes += static_cast<int>(n);
  }
  std::atomic<int> bytes{0};

 private:
  const int fd_;
};

TEST_F(EventLoopTest, TellsWhenADescriptorIsReady) {
  int fds[2];
  ASSERT_EQ(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
  CountBytes counter(fds[0]);
  std::atomic<bool> added{false};
  loop.Post([&] { added = loop.Add(fds[0], EPOLLIN | EPOLLET, counter); });
  Settle();
  ASSERT_TRUE(added);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(write(fds[1], "abc", 3), 3);
    while (counter.bytes < 3 * i) std::this_thread::yield();
  }
  loop.Post([&] { loop.Remove(fds[0]); });
  Settle();
  ASSERT_EQ(write(fds[1], "abc", 3), 3);
  Settle();
  EXPECT_EQ(counter.bytes, 9);
  close(fds[0]);
  close(fds[1]);
}

TEST_F(EventLoopTest, WhatBlocksComesAtTheEndOfATurnAndWhatFollowsInTheSame) {
  std::string order;
  bool without = false, on_loop = false;
  std::atomic<bool> done{false};
  loop.Post([&] {
    loop.RunBlocking(
        [&] {
          without = !base::Executor::Current() && !base::Handoff::Current();
          order += "block ";
        },
        [&] {
          on_loop = base::Executor::Current() == &loop && base::Handoff::Current() == &loop;
          order += "then ";
          loop.Post([&] {
            order += "resumed ";
            loop.Post([&] { order += "sent"; });
          });
          loop.RunBlocking([&] { order += "-"; }, [&] { done = true; });
        });
    loop.Post([&] { order += "posted "; });
  });
  while (!done) std::this_thread::yield();
  EXPECT_TRUE(without);
  EXPECT_TRUE(on_loop);
  EXPECT_EQ(order, "block then posted resumed sent-");
}

TEST_F(EventLoopTest, GoesOnWhileWorkBlocks) {
  struct Counted {
    int turns = 0;
  };
  int fds[2];
  ASSERT_EQ(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
  CountBytes counter(fds[0]);
  loop.Post([&] { EXPECT_TRUE(loop.Add(fds[0], EPOLLIN | EPOLLET, counter)); });
  int count = 0;
  // First one thread is held up, then the other, and so on.
  for (int i = 1; i <= 4; ++i) {
    std::binary_semaphore blocks(0), released(0);
    std::atomic<bool> then{false}, second{false};
    std::thread::id held, at_rest;
    loop.Post([&] {
      held = std::this_thread::get_id();
      loop.RunBlocking(
          [&] {
            blocks.release();
            released.acquire();
          },
          [&] { then = base::Executor::Current() == &loop; });
      loop.RunBlocking([] {}, [&] { second = true; });
    });
    blocks.acquire();
    for (int j = 0; j < 3; ++j) {
      loop.Post([&] { ++base::LoopLocal<Counted>::Here().turns; });
      Settle();
    }
    ASSERT_EQ(write(fds[1], "abc", 3), 3);
    while (counter.bytes < 3 * i) std::this_thread::yield();
    loop.Post([&] {
      at_rest = std::this_thread::get_id();
      count = base::LoopLocal<Counted>::Here().turns;
    });
    Settle();
    EXPECT_FALSE(then);
    EXPECT_FALSE(second);
    EXPECT_NE(at_rest, held);
    EXPECT_EQ(count, 3 * i);
    released.release();
    while (!then || !second) std::this_thread::yield();
  }
  loop.Post([&] { loop.Remove(fds[0]); });
  Settle();
  close(fds[0]);
  close(fds[1]);
}

TEST_F(EventLoopTest, StopsWhileWorkBlocks) {
  const auto blocks = std::make_shared<std::binary_semaphore>(0);
  const auto released = std::make_shared<std::binary_semaphore>(0);
  loop.Post([&] {
    loop.RunBlocking(
        [=] {
          blocks->release();
          released->acquire();
        },
        [] {});
  });
  blocks->acquire();
  Settle();
  loop.Stop();
  released->release();
}

TEST(EventLoopLifeTest, WorkNeverRunIsDroppedWithTheLoop) {
  auto held = std::make_shared<int>(1);
  {
    EventLoop loop;
    loop.Post([held] {});
    loop.PostAfter(1h, [held] {});
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace keelson::net
