// Expected texts are what kube-apiserver v1.36 answers.
#include "admission/plugins/event_rate_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "admission/testing/fakes.h"

namespace keelson::admission {
namespace {

using namespace std::chrono_literals;
using Type = EventLimit::Type;

class EventRateLimitTest : public ::testing::Test {
 protected:
  void Limit(std::vector<EventLimit> limits) { plugin_ = std::make_unique<EventRateLimit>(limits, clock_); }
  std::string Send(std::string_view ns = "n", std::string_view component = "c", bool dry_run = false) const {
    Write write("", "events",
                R"({"metadata":{"name":"e"},"source":{"component":")" + std::string(component) +
                    R"("},"involvedObject":{"kind":"Pod","name":"p"}})");
    auth::User user;
    user.name = "ann";
    Attributes request = write.request();
    request.ns = ns;
    request.user = &user;
    request.dry_run = dry_run;
    const Verdict verdict = base::SyncWait(plugin_->Validate(request));
    if (verdict) return "";
    EXPECT_EQ(verdict.error().code, 429);
    EXPECT_EQ(verdict.error().reason, "TooManyRequests");
    return verdict.error().message;
  }

  base::FakeClock clock_;
  std::unique_ptr<EventRateLimit> plugin_;
};

TEST_F(EventRateLimitTest, ABucketHoldsABurstAndFillsAgain) {
  Limit({{.type = Type::kServer, .qps = 2, .burst = 3}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send(), "");
  EXPECT_EQ(Send(), "Too many requests: limit reached on type Server for key ");
  clock_.Advance(500ms);
  EXPECT_EQ(Send(), "");
  EXPECT_NE(Send(), "");
  clock_.Advance(1h);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send(), "");
  EXPECT_NE(Send(), "");
}

TEST_F(EventRateLimitTest, EachKeyHasItsOwnBucket) {
  Limit({{.type = Type::kNamespace}});
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  EXPECT_EQ(Send("a"), "Too many requests: limit reached on type Namespace for key a");
  Limit({{.type = Type::kSourceAndObject}});
  EXPECT_EQ(Send("a", "c"), "");
  EXPECT_EQ(Send("a", "d"), "");
  EXPECT_EQ(Send("a", "c"), "Too many requests: limit reached on type SourceAndObject for key cPodp");
}

TEST_F(EventRateLimitTest, AllLimitsThatAreReachedAreNamed) {
  Limit({{.type = Type::kServer}, {.type = Type::kUser}});
  EXPECT_EQ(Send(), "");
  EXPECT_EQ(
      Send(),
      "Too many requests: [limit reached on type Server for key , limit reached on type User for key ann]");
}

TEST_F(EventRateLimitTest, ADryRunTakesNothing) {
  Limit({{.type = Type::kServer}});
  EXPECT_EQ(Send("n", "c", /*dry_run=*/true), "");
  EXPECT_EQ(Send(), "");
  EXPECT_EQ(Send("n", "c", /*dry_run=*/true), "");
}

TEST_F(EventRateLimitTest, ABucketThatWasForgottenStartsFull) {
  Limit({{.type = Type::kNamespace, .cache_size = 2}});
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  EXPECT_EQ(Send("c"), "");  // forgets "a"
  EXPECT_EQ(Send("a"), "");
  EXPECT_NE(Send("c"), "");
}

TEST_F(EventRateLimitTest, ManyThreadsTakeNoMoreThanThereIs) {
  Limit({{.type = Type::kServer, .burst = 100}, {.type = Type::kNamespace, .burst = 1000}});
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) accepted += Send().empty();
      });
  }
  EXPECT_EQ(accepted, 100);
}

TEST(EventRateLimitConfigTest, WhatIsWrongIsToldInUpstreamsWords) {
  const auto error = [](std::string_view limits) {
    const auto parsed = ParseEventLimits(
        "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n" + std::string(limits));
    return parsed ? "" : parsed.error();
  };
  const std::string failed = "couldn't init admission plugin \"EventRateLimit\": ";
  EXPECT_EQ(error("limits: [{type: Server, qps: 1, burst: 1, cacheSize: -1, unknown: 1}]"), "");
  EXPECT_EQ(error(""), failed + "limits: Invalid value: null: must not be empty");
  EXPECT_EQ(ParseEventLimits(std::nullopt).error(),
            failed + "limits: Invalid value: null: must not be empty");
  EXPECT_EQ(
      error("limits: [{type: User, qps: 0, burst: -1, cacheSize: -1}]"),
      failed +
          "[limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be "
          "positive, limits[0].cacheSize: Invalid value: -1: must not be negative]");
  EXPECT_EQ(error("limits: [{type: Foo, qps: 1, burst: 1}]"),
            failed +
                "limits[0].type: Unsupported value: \"Foo\": supported values: \"Server\", \"Namespace\", "
                "\"User\", \"SourceAndObject\"");
  EXPECT_EQ(error("limits: [{type: User, qps: a}]"),
            failed + "json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32");
}

}  // namespace
}  // namespace keelson::admission
