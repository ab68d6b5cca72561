#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "auth/authn/authenticators.h"
#include "auth/authn/one_flight.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

using std::chrono::seconds;

// Knows every token but "bad" and "strange", and waits, if told to, until it is let go.
class CountingTokens final : public TokenAuthenticator {
 public:
  explicit CountingTokens(std::atomic<int>& asked) : asked_(asked) {}
  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& /*remarks*/) override {
    ++asked_;
    if (gate) co_await *gate;
    if (token == "bad") co_return base::Err(std::string("bad token"));
    if (token == "strange") co_return Known();
    co_return Known{std::make_shared<const User>(User{.name = std::string(token)}),
                    {audiences.begin(), audiences.end()}};
  }
  std::optional<base::Completion<int>> gate;

 private:
  std::atomic<int>& asked_;
};

class TokenCacheTest : public ::testing::Test {
 protected:
  void Make(TokenCacheOptions options = {}) {
    options.clock = &clock_;
    auto inner = std::make_unique<CountingTokens>(asked_);
    inner_ = inner.get();
    cache_ = CachedTokens(std::move(inner), options);
  }
  TokenAuthenticator::Outcome Ask(std::string_view token, std::vector<std::string> audiences = {"api"}) {
    return base::SyncWait(cache_->AuthenticateToken(token, audiences, remarks_));
  }

  base::FakeClock clock_;
  Remarks remarks_;
  std::atomic<int> asked_{0};
  CountingTokens* inner_ = nullptr;
  std::unique_ptr<TokenAuthenticator> cache_;
};

TEST_F(TokenCacheTest, AUserIsRememberedForTenSeconds) {
  Make();
  EXPECT_EQ(Ask("ann")->user->name, "ann");
  EXPECT_EQ(Ask("ann")->user->name, "ann");
  EXPECT_EQ(asked_, 1);
  clock_.Advance(seconds(10));
  EXPECT_EQ(Ask("ann")->user->name, "ann");
  EXPECT_EQ(asked_, 2);
}

TEST_F(TokenCacheTest, ErrorsAndUnknownTokensAreAskedForAgain) {
  Make();
  EXPECT_EQ(Ask("bad").error(), "bad token");
  EXPECT_EQ(Ask("bad").error(), "bad token");
  EXPECT_FALSE(Ask("strange")->user);
  EXPECT_FALSE(Ask("strange")->user);
  EXPECT_EQ(asked_, 4);
}

TEST_F(TokenCacheTest, UnknownTokensAreRememberedIfWished) {
  Make({.known_ttl = seconds(120), .unknown_ttl = seconds(120)});
  EXPECT_FALSE(Ask("strange")->user);
  EXPECT_FALSE(Ask("strange")->user);
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(Ask("bad").error(), "bad token");
  EXPECT_EQ(Ask("bad").error(), "bad token");
  EXPECT_EQ(asked_, 3);
}

// An answer for one audience is none for another, however they are spelled.
TEST_F(TokenCacheTest, AudiencesAreAPartOfTheQuestion) {
  Make();
  EXPECT_THAT(Ask("ann", {"a", "b"})->audiences, ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(Ask("ann", {"ab"})->audiences, ::testing::ElementsAre("ab"));
  EXPECT_THAT(Ask("ann", {"b", "a"})->audiences, ::testing::ElementsAre("b", "a"));
  EXPECT_THAT(Ask("anna", {"b"})->audiences, ::testing::ElementsAre("b"));
  EXPECT_EQ(asked_, 4);
}

TEST_F(TokenCacheTest, ManyTokensAreNotKeptForEver) {
  Make({.max_entries = 32 * 64});
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(Ask(std::to_string(i))->user);
  EXPECT_EQ(asked_, 20'000);
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(Ask(std::to_string(i))->user);
  EXPECT_GT(asked_, 30'000);
}

TEST_F(TokenCacheTest, QuestionsAndAnswersAreCounted) {
  base::Metrics metrics;
  const TokenCacheMetrics counts(metrics);
  Make({.metrics = &counts});
  EXPECT_TRUE(Ask("ann"));
  EXPECT_TRUE(Ask("ann"));
  EXPECT_FALSE(Ask("bad"));
  EXPECT_EQ(counts.hits.value(), 1u);
  EXPECT_EQ(counts.misses.value(), 2u);
  EXPECT_EQ(counts.answered.value(), 1u);
  EXPECT_EQ(counts.failed.value(), 1u);
  EXPECT_EQ(counts.blocked.value(), 0);
  EXPECT_EQ(counts.in_flight.value(), 0);
  EXPECT_NE(
      metrics.Render().find("authentication_token_cache_request_duration_seconds_count{status=\"miss\"} 2\n"),
      std::string::npos);
}

TEST_F(TokenCacheTest, WhoAsksMeanwhileWaitsForTheSameAnswer) {
  Make();
  const base::Completion<int> gate;
  inner_->gate = gate;
  std::atomic<int> answers{0};
  const auto ask = [&](const char* token) -> base::Task<void> {
    static const std::vector<std::string> kAudiences = {"api"};
    const auto known = co_await cache_->AuthenticateToken(token, kAudiences, remarks_);
    if (known && known->user->name == token) ++answers;
  };
  for (int i = 0; i < 5; ++i) base::Spawn(ask("ann"));
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(answers, 0);
  gate.Set(1);
  EXPECT_EQ(answers, 5);
  EXPECT_EQ(asked_, 1);
}

TEST(OneFlightTest, EveryThreadGetsAnAnswerThatSomebodyAskedFor) {
  OneFlight<int> flight;
  std::atomic<int> asked{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const int before = asked;
        const int got = base::SyncWait(flight.Run([&]() -> base::Task<int> { co_return ++asked; }));
        if (got < before || got > asked) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(asked, 8000);
}

TEST_F(TokenCacheTest, ThreadsGetTheAnswersToTheirOwnQuestions) {
  Make();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const std::string token = std::to_string(i % 97);
        if (Ask(token)->user->name != token) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace keelson::auth
