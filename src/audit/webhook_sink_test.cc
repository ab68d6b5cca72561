#include "audit/webhook_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/auditor.h"
#include "base/sync_wait.h"

namespace keelson::audit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Runs work where it is posted: on the batcher's thread.
class Inline final : public base::Executor {
 public:
  void Post(Work work) override { work(); }
  void PostAfter(std::chrono::nanoseconds, Work work) override { work(); }
};

class WebhookSinkTest : public testing::Test {
 protected:
  std::unique_ptr<Auditor> Make(WebhookConfig config) {
    std::vector<std::unique_ptr<Sink>> sinks;
    sinks.push_back(
        MakeWebhookSink(config, loop_, [this](std::string body) { return Post(std::move(body)); }, metrics_));
    return std::make_unique<Auditor>(
        *Policy::Parse("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}"),
        std::move(sinks), metrics_);
  }
  base::Task<base::Result<void, std::string>> Post(std::string body) {
    bodies_.push_back(std::move(body));
    if (fails_) co_return base::Err(std::string("down"));
    co_return base::Result<void, std::string>();
  }
  static Event SomeEvent(Auditor& auditor, std::string_view id) {
    Event event(auditor.Decide({.verb = "get", .path = "/x"}));
    event.audit_id = id;
    return event;
  }

  Inline loop_;
  base::Metrics metrics_;
  bool fails_ = false;
  std::vector<std::string> bodies_;  // read once the sink has ended
};

TEST_F(WebhookSinkTest, SendsEventsInLists) {
  const auto auditor = Make({});
  for (const char* id : {"1", "2"}) {
    Event event = SomeEvent(*auditor, id);
    auditor->Tell(event, Stage::kResponseComplete);
    EXPECT_TRUE(event.owed.empty());
  }
  auditor->End();
  std::string sent;
  for (const std::string& body : bodies_) {
    EXPECT_THAT(
        body, StartsWith(R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"l)"));
    EXPECT_THAT(body, testing::EndsWith("}]}"));
    sent += body;
  }
  EXPECT_THAT(sent, HasSubstr(R"("auditID":"1")"));
  EXPECT_THAT(sent, HasSubstr(R"("auditID":"2")"));
}

TEST_F(WebhookSinkTest, WhatCannotBeSentIsCounted) {
  fails_ = true;
  WebhookConfig config;
  config.batch.mode = "blocking-strict";
  const auto auditor = Make(config);
  Event event = SomeEvent(*auditor, "1");
  auditor->Tell(event, Stage::kRequestReceived);
  EXPECT_FALSE(base::SyncWait(Auditor::Settled(event)));
  auditor->End();
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_audit_error_total{plugin=\"webhook\"} 1"));
}

}  // namespace
}  // namespace keelson::audit
