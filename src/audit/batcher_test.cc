#include "audit/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

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
  void Receive(Batch batch) {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [&] { return open_; });
    sizes_.push_back(batch.size());
    for (const Waiting& event : batch) events_ += event.text.pieces.front().view();
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
  std::vector<size_t> sizes() {
    const std::lock_guard lock(mu_);
    return sizes_;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool open_ = true;
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

}  // namespace
}  // namespace keelson::audit
