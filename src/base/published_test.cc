#include "base/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace keelson::base {
namespace {

std::atomic<int> alive{0};

struct Pair final : Publishable<Pair> {
  explicit Pair(int v) : a(v), b(v) { ++alive; }
  ~Pair() {
    a = b = -1;
    --alive;
  }
  int a, b;
};

TEST(PublishedTest, AReadingOutlivesItsReplacement) {
  {
    Published<Pair> published(new Pair(1));
    Reading<Pair> old = published.Read();
    Reading<Pair> copy = old;
    published.Replace(new Pair(2));
    EXPECT_EQ(old->a, 1);
    EXPECT_EQ(published.Read()->a, 2);
    EXPECT_EQ(alive, 2);
    old = {};
    EXPECT_EQ(copy->b, 1);
    copy = {};
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(PublishedTest, CountsMoreReadersThanTheWordHolds) {
  {
    Published<Pair> published(new Pair(1));
    std::vector<Reading<Pair>> held;
    for (int i = 0; i < 200'000; ++i) held.push_back(published.Read());
    for (int i = 0; i < 200'000; ++i) published.Read();
    published.Replace(new Pair(2));
    EXPECT_EQ(alive, 2);
    held.clear();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(PublishedTest, ReadersNeverSeeWhatIsGone) {
  {
    Published<Pair> published(new Pair(0));
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    for (int t = 0; t < 3; ++t)
      readers.emplace_back([&] {
        int last = 0;
        while (!stop.load(std::memory_order_relaxed)) {
          Reading<Pair> reading = published.Read();
          ASSERT_EQ(reading->a, reading->b);
          ASSERT_GE(reading->a, last);
          last = reading->a;
        }
      });
    for (int i = 1; i <= 20'000; ++i) published.Replace(new Pair(i));
    stop = true;
    for (auto& t : readers) t.join();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace keelson::base
