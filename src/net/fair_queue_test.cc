#include "net/fair_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace keelson::net {
namespace {

std::string PopAll(FairQueue<std::string>& queue) {
  std::string all;
  while (!queue.empty()) all += queue.Pop() + " ";
  return all;
}

TEST(FairQueueTest, ItemsOfOneSenderKeepTheirOrder) {
  FairQueue<std::string> queue;
  for (const char* item : {"1", "2", "3"}) queue.Push("a", item);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(PopAll(queue), "1 2 3 ");
}

TEST(FairQueueTest, SendersTakeTurns) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3"}) queue.Push("a", item);
  for (const char* item : {"b1", "b2", "b3"}) queue.Push("b", item);
  EXPECT_EQ(PopAll(queue), "a1 b1 a2 b2 a3 b3 ");
}

TEST(FairQueueTest, WhoAsksForLittleDoesNotWaitForThoseWhoAskForMuch) {
  FairQueue<std::string> queue;
  for (int i = 0; i < 100; ++i) {
    for (int sender = 0; sender < 50; ++sender) queue.Push(std::to_string(sender), "many");
  }
  for (int i = 0; i < 500; ++i) EXPECT_EQ(queue.Pop(), "many");
  // Both steps of a handshake, the second of which comes when the first is done.
  queue.Push("other", "first");
  EXPECT_EQ(queue.Pop(), "first");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.Pop(), "many");
  queue.Push("other", "second");
  EXPECT_EQ(queue.Pop(), "second");
}

TEST(FairQueueTest, NewSendersDoNotKeepAnItemWaitingForEver) {
  FairQueue<std::string> queue;
  for (int i = 0; i < 5; ++i) queue.Push("old", "old");
  int others = 0;
  for (int left = 5; left > 0 && others < 1000; ++others) {
    queue.Push("new" + std::to_string(others), "new");
    if (queue.Pop() == "old") --left;
  }
  EXPECT_LT(others, 100);
}

TEST(FairQueueTest, ItemsNeedNotBeCopied) {
  FairQueue<std::unique_ptr<int>> queue;
  queue.Push("a", std::make_unique<int>(1));
  for (int i = 0; i < 5000; ++i) queue.Push(std::to_string(i), std::make_unique<int>(i));
  EXPECT_EQ(*queue.Pop(), 1);
}

}  // namespace
}  // namespace keelson::net
