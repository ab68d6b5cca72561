#include "audit/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/testing/turned_loop.h"

namespace keelson::audit {
namespace {

using testing::ElementsAre;

EventText TextOf(std::string_view text) {
  EventText made;
  made.Add(base::Slice::Copy(text));
  return made;
}

// Keeps what is delivered; a delivery may be held up.
class Receiver {
 public:
  void Receive(const Batch& batch) {
    std::unique_lock lock(mu_);
    ++entered_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    sizes_.push_back(batch.size());
    for (const Waiting& event : batch) events_ += event.text.first.view();
    by_ = std::this_thread::get_id();
    changed_.notify_all();
  }
  void Hold() {
    const std::lock_guard lock(mu_);
    open_ = false;
  }
  void Release() {
    const std::lock_guard lock(mu_);
    open_ = true;
    changed_.notify_all();
  }
  std::string AwaitEvents(size_t number) {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [&] { return events_.size() >= number; });
    return events_;
  }
  void AwaitEntered(int number) {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [&] { return entered_ >= number; });
  }
  int entered() {
    const std::lock_guard lock(mu_);
    return entered_;
  }
  std::thread::id by() {
    const std::lock_guard lock(mu_);
    return by_;
  }
  std::vector<size_t> sizes() {
    const std::lock_guard lock(mu_);
    return sizes_;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool open_ = true;
  int entered_ = 0;
  std::thread::id by_;
  std::vector<size_t> sizes_;
  std::string events_;
};

constexpr std::chrono::hours kForever{24};

TEST(BatcherTest, AFullBatchDoesNotWait) {
  Receiver receiver;
  Batcher batcher({.events = 2, .wait = kForever}, [&](Batch batch) { receiver.Receive(std::move(batch)); });
  for (const char* event : {"a", "b", "c"})
    EXPECT_TRUE(batcher.Take({TextOf(event), std::nullopt}, Batcher::Haste::kNow));
  EXPECT_EQ(receiver.AwaitEvents(2), "ab");
  batcher.End();  // sends the rest
  EXPECT_EQ(receiver.AwaitEvents(3), "abc");
  EXPECT_THAT(receiver.sizes(), ElementsAre(2, 1));
  EXPECT_FALSE(batcher.Take({TextOf("d"), std::nullopt}, Batcher::Haste::kNow));
}

TEST(BatcherTest, ABatchThatIsNotFullGoesInTime) {
  Receiver receiver;
  Batcher batcher({.events = 400, .wait = std::chrono::milliseconds(1)},
                  [&](Batch batch) { receiver.Receive(std::move(batch)); });
  batcher.Take({TextOf("a"), std::nullopt}, Batcher::Haste::kNow);
  EXPECT_EQ(receiver.AwaitEvents(1), "a");
}

TEST(BatcherTest, WhatDoesNotFitIsRefused) {
  Receiver receiver;
  receiver.Hold();
  Batcher batcher({.buffered_events = 2, .events = 1, .throttle = {1e6, 1}},
                  [&](Batch batch) { receiver.Receive(std::move(batch)); });
  // One is being delivered at most, two wait.
  size_t taken = 0;
  for (int i = 0; i < 10; ++i)
    taken += batcher.Take({TextOf("x"), std::nullopt}, Batcher::Haste::kNow) ? 1 : 0;
  EXPECT_GE(taken, 2U);
  EXPECT_LE(taken, 3U);
  receiver.Release();
  EXPECT_EQ(receiver.AwaitEvents(taken).size(), taken);
}

TEST(BatcherTest, BytesAreBoundedUntilTheyAreDelivered) {
  Receiver receiver;
  Batcher batcher({.events = 1}, [&](Batch batch) { receiver.Receive(std::move(batch)); });
  EventText large = TextOf("x");
  large.bytes = Batcher::kMostBytes;
  EXPECT_TRUE(batcher.Take({large, std::nullopt}, Batcher::Haste::kNow));
  receiver.AwaitEvents(1);
  EXPECT_FALSE(batcher.Take({TextOf("y"), std::nullopt}, Batcher::Haste::kNow));
  batcher.Delivered(large.bytes);
  EXPECT_TRUE(batcher.Take({TextOf("z"), std::nullopt}, Batcher::Haste::kNow));
  EXPECT_EQ(receiver.AwaitEvents(2), "xz");
}

TEST(BatcherTest, BatchesAreSplitByTheirBytes) {
  Receiver receiver;
  {
    Batcher batcher({.events = 3, .wait = kForever, .bytes = 5},
                    [&](Batch batch) { receiver.Receive(std::move(batch)); });
    for (const char* event : {"aaa", "bbb", "cc"})
      batcher.Take({TextOf(event), std::nullopt}, Batcher::Haste::kNow);
  }
  EXPECT_EQ(receiver.AwaitEvents(8), "aaabbbcc");
  EXPECT_THAT(receiver.sizes(), ElementsAre(1, 2));
}

// Deliveries that loops may make.
class LoopBatcherTest : public testing::Test {
 protected:
  Batcher::Quick ToReceiver() {
    return {.fits = [this](size_t bytes) { return bytes <= fits_; },
            .deliver =
                [this](Batch& batch) {
                  receiver_.Receive(batch);
                  for (Waiting& event : batch) event.kept = true;
                }};
  }
  // The loop takes events in one turn. `done` is set for each that is kept.
  static void TakeIn(base::testing::TurnedLoop& loop, Batcher& batcher, std::string_view events,
                     Batcher::Haste haste = Batcher::Haste::kNow, std::atomic<int>* done = nullptr) {
    loop.Post([&batcher, events, haste, done] {
      for (const char event : events) {
        Waiting waiting{.text = TextOf({&event, 1}), .done = std::nullopt};
        if (done) base::Spawn(Await(waiting.done.emplace(), *done));
        EXPECT_TRUE(batcher.Take(std::move(waiting), haste));
      }
    });
  }
  // Until the thread sleeps it may be the one that delivers.
  void AwaitSleep(Batcher& batcher) {
    do {
      const size_t before = receiver_.AwaitEvents(0).size();
      TakeIn(loop_, batcher, "-");
      loop_.RunTurns();
      receiver_.AwaitEvents(before + 1);
    } while (receiver_.by() != std::this_thread::get_id());
  }
  static base::Task<void> Await(base::Completion<bool> kept, std::atomic<int>& done) {
    if (co_await kept) ++done;
  }

  size_t fits_ = SIZE_MAX;
  Receiver receiver_;
  base::testing::TurnedLoop loop_, other_;
  std::atomic<int> done_ = 0;
};

TEST_F(LoopBatcherTest, ALoopDeliversWhatItsTurnHasTaken) {
  for (const auto haste : {Batcher::Haste::kNow, Batcher::Haste::kSoon}) {
    Batcher batcher({}, ToReceiver());
    AwaitSleep(batcher);
    TakeIn(loop_, batcher, "abc", haste, &done_);
    loop_.RunTurns();
    EXPECT_EQ(receiver_.by(), std::this_thread::get_id());
    EXPECT_THAT(receiver_.AwaitEvents(0), testing::EndsWith("-abc"));
    EXPECT_EQ(receiver_.sizes().back(), 3U);
  }
  EXPECT_EQ(done_, 6);
}

TEST_F(LoopBatcherTest, WhatIsNotForALoopIsTheThreads) {
  fits_ = 0;
  Batcher batcher({}, ToReceiver());
  TakeIn(loop_, batcher, "abc", Batcher::Haste::kNow, &done_);
  loop_.RunTurns();
  EXPECT_EQ(receiver_.AwaitEvents(3), "abc");
  EXPECT_NE(receiver_.by(), std::this_thread::get_id());
  TakeIn(loop_, batcher, "d");
  loop_.RunTurns();
  EXPECT_EQ(receiver_.AwaitEvents(4), "abcd");
  batcher.End();
  while (done_ < 3) loop_.RunTurns();
}

TEST_F(LoopBatcherTest, NoLoopWaitsForOneThatDelivers) {
  Batcher batcher({}, ToReceiver());
  AwaitSleep(batcher);
  const int entered = receiver_.entered();
  receiver_.Hold();
  std::thread held([&] {
    TakeIn(loop_, batcher, "a");
    loop_.RunTurns();
  });
  receiver_.AwaitEntered(entered + 1);
  TakeIn(other_, batcher, "b", Batcher::Haste::kNow, &done_);
  other_.RunTurns();  // does not block
  EXPECT_EQ(done_, 0);
  receiver_.Release();
  held.join();
  EXPECT_THAT(receiver_.AwaitEvents(0), testing::EndsWith("-ab"));
  EXPECT_EQ(receiver_.sizes().back(), 1U);
  other_.RunTurns();
  EXPECT_EQ(done_, 1);
}

TEST_F(LoopBatcherTest, AfterASlowDeliveryTheThreadDelivers) {
  Batcher::Quick slow = ToReceiver();
  slow.slow = std::chrono::nanoseconds(-1);
  slow.distrust = kForever;
  Batcher batcher({}, slow);
  AwaitSleep(batcher);
  const size_t before = receiver_.AwaitEvents(0).size();
  TakeIn(loop_, batcher, "b");
  loop_.RunTurns();
  EXPECT_THAT(receiver_.AwaitEvents(before + 1), testing::EndsWith("-b"));
  EXPECT_NE(receiver_.by(), std::this_thread::get_id());
}

TEST_F(LoopBatcherTest, TheEndWaitsForALoopThatDelivers) {
  Batcher batcher({}, ToReceiver());
  AwaitSleep(batcher);
  const int entered = receiver_.entered();
  receiver_.Hold();
  std::thread held([&] {
    TakeIn(loop_, batcher, "a");
    loop_.RunTurns();
  });
  receiver_.AwaitEntered(entered + 1);
  std::thread ending([&] { batcher.End(); });
  receiver_.Release();
  held.join();
  ending.join();
  EXPECT_THAT(receiver_.AwaitEvents(0), testing::EndsWith("-a"));
}

}  // namespace
}  // namespace keelson::audit
