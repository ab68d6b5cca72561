#include "server/filters/deadline.h"

#include <gtest/gtest.h>

#include "server/testing/manual_loop.h"

namespace keelson::server {
namespace {

using namespace std::chrono_literals;
using Answer = std::optional<net::http::Response>;

net::http::Response WithCode(int code) {
  net::http::Response response;
  response.status = code;
  return response;
}

base::Task<net::http::Response> AtOnce(int code) { co_return WithCode(code); }
base::Task<net::http::Response> After(base::Completion<int> done, bool& finished) {
  const int code = co_await done;
  finished = true;
  co_return WithCode(code);
}

base::Task<void> Race(base::Task<net::http::Response> work, BodyWithDeadline& body,
                      base::Clock::SteadyTime deadline, const base::Clock& clock, std::optional<int>& code) {
  Answer answer = co_await WithDeadline(std::move(work), body, deadline, clock);
  code = answer ? answer->status : 0;
}

// Gives its one piece when told to.
struct SlowBody final : net::http::BodyReader {
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    std::string piece = co_await arrived;
    co_return std::optional<base::Slice>(base::Slice::Copy(piece));
  }
  void Expire() override {
    ++expired;
    if (ends_when_expired) arrived.Set("");
  }
  base::Completion<std::string> arrived;
  bool ends_when_expired = false;
  int expired = 0;
};
base::Task<net::http::Response> ReadingBody(BodyWithDeadline& body) {
  const auto piece = co_await body.Read();
  co_return WithCode(piece ? 200 : piece.error() == net::http::BodyError::kTimeout ? 408 : 400);
}

TEST(WorkDeadlineTest, AWriteOfOneObjectHas34SecondsFromItsBeginning) {
  const base::Clock::SteadyTime now(1h);
  for (const char* verb : {"create", "update", "patch", "delete"}) {
    EXPECT_EQ(WorkDeadline(verb, now + 60s, now), now + 34s) << verb;
    EXPECT_EQ(WorkDeadline(verb, now + 5s, now), now + 5s) << verb;
  }
  for (const char* verb : {"get", "list", "deletecollection"})
    EXPECT_EQ(WorkDeadline(verb, now + 60s, now), now + 60s) << verb;
}

class DeadlineTest : public ::testing::Test {
 protected:
  void Start(base::Task<net::http::Response> work) {
    loop_.Post([&] { base::Spawn(Race(std::move(work), body_, clock_.SteadyNow() + 10s, clock_, code_)); });
    loop_.Run();
  }
  base::FakeClock clock_;
  testing::ManualLoop loop_{clock_};
  SlowBody slow_;
  BodyWithDeadline body_{&slow_};
  std::optional<int> code_;  // 0: the deadline won
  base::Completion<int> done_;
  bool finished_ = false;
};

TEST_F(DeadlineTest, WorkThatDoesNotWaitCostsNoTimer) {
  Start(AtOnce(201));
  EXPECT_EQ(code_, 201);
  EXPECT_EQ(loop_.delayed(), 0u);
}

TEST_F(DeadlineTest, WorkInTimeGivesItsAnswer) {
  Start(After(done_, finished_));
  loop_.Advance(9s);
  EXPECT_EQ(code_, std::nullopt);
  done_.Set(202);
  loop_.Run();
  EXPECT_EQ(code_, 202);
  loop_.Advance(kTick);
  EXPECT_EQ(loop_.delayed(), 0u) << "the tick goes on with nothing to wait for";
}

TEST_F(DeadlineTest, LateWorkIsLeftAloneAndItsAnswerDropped) {
  Start(After(done_, finished_));
  for (int i = 0; i < 101; ++i) loop_.Advance(kTick);
  EXPECT_EQ(code_, 0);
  EXPECT_FALSE(finished_);
  done_.Set(202);
  loop_.Run();
  EXPECT_TRUE(finished_);
  EXPECT_EQ(code_, 0);
}

TEST_F(DeadlineTest, AHandlerThatWaitsForTheBodyIsNotLeftWithoutIt) {
  Start(ReadingBody(body_));
  for (int i = 0; i < 150; ++i) loop_.Advance(kTick);
  EXPECT_EQ(code_, std::nullopt) << "the connection's reader is still in use";
  slow_.arrived.Set("x");
  loop_.Run();
  EXPECT_EQ(code_, 0) << "it answers too late";
}

TEST_F(DeadlineTest, AWaitForTheBodyEndsAtTheDeadline) {
  slow_.ends_when_expired = true;
  Start(ReadingBody(body_));
  loop_.Advance(9s);
  EXPECT_EQ(slow_.expired, 0);
  for (int i = 0; i < 12; ++i) loop_.Advance(kTick);
  EXPECT_EQ(slow_.expired, 1);
  EXPECT_EQ(code_, 0);
}

TEST_F(DeadlineTest, ABodyInTimeIsReadAsItIs) {
  Start(ReadingBody(body_));
  slow_.arrived.Set("x");
  loop_.Run();
  EXPECT_EQ(code_, 200);
}

TEST(RequestTimeoutTest, TheClientMayAskForLessButNotForMore) {
  EXPECT_EQ(RequestTimeout("", 60s).value(), 60s);
  EXPECT_EQ(RequestTimeout("a=b&timeout=5s", 60s).value(), 5s);
  EXPECT_EQ(RequestTimeout("timeout=2m", 60s).value(), 60s);
  EXPECT_EQ(RequestTimeout("timeout=0s", 60s).value(), 60s);
  EXPECT_EQ(RequestTimeout("timeoutSeconds=5", 60s).value(), 60s);
  const auto bad = RequestTimeout("timeout=abc", 60s);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, 400);
  EXPECT_EQ(bad.error().message,
            "invalid timeout specified in the request URL - time: invalid duration \"abc\"");
}

}  // namespace
}  // namespace keelson::server
