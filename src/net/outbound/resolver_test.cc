#include "net/outbound/resolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/mutex.h"
#include "net/loop/event_loop.h"
#include "net/testing/server_fixture.h"

namespace keelson::net::outbound {
namespace {

// Answers names when it is told to, and counts how many are asked for at a time.
class HeldLookup {
 public:
  Resolver::Lookup Function() {
    return [this](const std::string& host, uint16_t) {
      const int now = ++under_way;
      int most = most_at_once;
      while (most < now && !most_at_once.compare_exchange_weak(most, now)) continue;
      opened_.wait();
      --under_way;
      return Resolved{{}, "asked for " + host};
    };
  }
  void Open() { go_on_.set_value(); }

  std::atomic<int> under_way{0}, most_at_once{0};

 private:
  std::promise<void> go_on_;
  std::shared_future<void> opened_ = go_on_.get_future().share();
};

class ResolverTest : public ::testing::Test {
 protected:
  ~ResolverTest() override {
    loop_.Stop();
    thread_.join();
  }

  static base::Task<void> Ask(Resolver& resolver, std::string host, std::promise<Resolved> result) {
    Resolved resolved = co_await resolver.Resolve(std::move(host), 80);
    result.set_value(std::move(resolved));
  }
  std::future<Resolved> Resolve(Resolver& resolver, std::string host) {
    std::promise<Resolved> result;
    auto future = result.get_future();
    loop_.Post([&resolver, host = std::move(host), result = std::move(result)]() mutable {
      base::Spawn(Ask(resolver, std::move(host), std::move(result)));
    });
    return future;
  }

  EventLoop loop_;
  std::thread thread_{[this] { loop_.Run(); }};
};

TEST_F(ResolverTest, AnAddressIsItsOwn) {
  Resolver resolver({.thread = [](std::function<void()>) { return false; }});
  for (const char* ip : {"127.0.0.1", "::1"}) {
    const Resolved resolved = Resolve(resolver, ip).get();
    ASSERT_EQ(resolved.addresses.size(), 1u) << resolved.error;
    EXPECT_EQ(resolved.addresses[0].Ip(), ip);
  }
}

TEST_F(ResolverTest, ManyNamesShareAFewThreads) {
  HeldLookup lookup;
  Resolver resolver({.threads = 3, .waiting = 100, .lookup = lookup.Function()});
  std::vector<std::future<Resolved>> answers;
  for (int i = 0; i < 50; ++i) answers.push_back(Resolve(resolver, "name-" + std::to_string(i)));
  EXPECT_TRUE(testing::Eventually([&] { return lookup.under_way == 3; }));
  lookup.Open();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(answers[i].get().error, "asked for name-" + std::to_string(i));
  EXPECT_EQ(lookup.most_at_once, 3);
}

TEST_F(ResolverTest, NamesBeyondTheLimitAreRefused) {
  HeldLookup lookup;
  Resolver resolver({.threads = 1, .waiting = 2, .lookup = lookup.Function()});
  auto first = Resolve(resolver, "a");
  ASSERT_TRUE(testing::Eventually([&] { return lookup.under_way == 1; }));
  auto second = Resolve(resolver, "b"), third = Resolve(resolver, "c");
  EXPECT_EQ(Resolve(resolver, "d").get().error, "dial tcp: lookup d: too many names are being looked up");
  lookup.Open();
  EXPECT_EQ(first.get().error, "asked for a");
  EXPECT_EQ(second.get().error, "asked for b");
  EXPECT_EQ(third.get().error, "asked for c");
}

TEST_F(ResolverTest, AThreadThatCannotBeMadeIsAnError) {
  Resolver resolver({.thread = [](std::function<void()>) { return false; }});
  EXPECT_EQ(Resolve(resolver, "a").get().error, "dial tcp: lookup a: too many names are being looked up");
}

TEST_F(ResolverTest, AFurtherThreadThatCannotBeMadeLeavesTheNamesToTheOthers) {
  HeldLookup lookup;
  std::atomic<int> made{0};
  Resolver resolver({.lookup = lookup.Function(), .thread = [&](std::function<void()> work) {
                       if (made++ > 0) return false;
                       std::thread(std::move(work)).detach();
                       return true;
                     }});
  auto first = Resolve(resolver, "a");
  ASSERT_TRUE(testing::Eventually([&] { return lookup.under_way == 1; }));
  auto second = Resolve(resolver, "b");
  ASSERT_TRUE(testing::Eventually([&] { return made == 2; }));
  lookup.Open();
  EXPECT_EQ(first.get().error, "asked for a");
  EXPECT_EQ(second.get().error, "asked for b");
}

}  // namespace
}  // namespace keelson::net::outbound
