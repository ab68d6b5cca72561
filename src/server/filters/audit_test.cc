#include "server/filters/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sync_wait.h"
#include "endpoints/respond.h"
#include "server/filters/source_ips.h"
#include "server/testing/requests.h"
#include "server/text_response.h"
#include "server/tracked_body.h"

namespace keelson::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeRequest;

// Remembers what it is told.
class Notes final : public audit::Sink {
 public:
  audit::Mode mode() const override { return strict ? audit::Mode::kBlockingStrict : audit::Mode::kBatch; }
  std::optional<base::Completion<bool>> Take(audit::Telling& telling) override {
    const audit::Event& event = telling.event();
    stages.emplace_back(audit::NameOf(telling.stage()));
    annotations = event.annotations;
    status = event.status;
    if (!strict) return std::nullopt;
    base::Completion<bool> kept;
    kept.Set(false);
    return kept;
  }
  void End() override {}

  bool strict = false;
  std::vector<std::string> stages;
  std::map<std::string, std::string, std::less<>> annotations;
  std::optional<api::Status> status;
};

class AuditFilterTest : public ::testing::Test {
 protected:
  void Make(bool strict = false) {
    auto notes = std::make_unique<Notes>();
    notes_ = notes.get();
    notes->strict = strict;
    std::vector<std::unique_ptr<audit::Sink>> sinks;
    sinks.push_back(std::move(notes));
    auditor_.emplace(*audit::Policy::Parse("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: "
                                           "None, verbs: [list]}, {level: Metadata}]}"),
                     std::move(sinks), metrics_, clock_);
    filter_.emplace(*auditor_, clock_);
  }
  IncomingRequestPtr Receive(std::string_view target, bool long_running = false) {
    net::http::Request request = MakeRequest("GET", target);
    IncomingRequestPtr x(new IncomingRequest(request, clock_.SteadyNow()));
    x->info = endpoints::ParseRequestInfo(x->request.method, x->request.path, x->request.query);
    x->long_running = long_running;
    if (!remarks_.empty()) x->remarks = std::make_unique<auth::Remarks>(remarks_);
    x->user = std::make_shared<const auth::User>(auth::User{.name = "ann"});
    filter_->Received(*x);
    if (filter_->strict()) refused_ = base::SyncWait(filter_->Kept(*x));
    return x;
  }
  void Answer(const IncomingRequestPtr& x, net::http::Response& response) { filter_->Answered(x, response); }

  base::FakeClock clock_;
  base::Metrics metrics_;
  Notes* notes_ = nullptr;
  auth::Remarks remarks_;
  std::optional<audit::Auditor> auditor_;
  std::optional<AuditFilter> filter_;
  std::optional<net::http::Response> refused_;
};

TEST_F(AuditFilterTest, AShortAnswerIsCompleteWhenItIsThere) {
  Make();
  const auto x = Receive("/api/v1/pods/a");
  net::http::Response response = endpoints::StatusResponse(api::NotFound({"", "pods"}, "a"), "");
  Answer(x, response);
  EXPECT_THAT(notes_->stages, ElementsAre("RequestReceived", "ResponseComplete"));
  ASSERT_TRUE(notes_->status);
  EXPECT_EQ(notes_->status->message, "pods \"a\" not found");
  EXPECT_EQ(notes_->status->code, 404);
  EXPECT_THAT(notes_->annotations, IsEmpty());
}

TEST_F(AuditFilterTest, ALongAnswerIsCompleteWhenItIsThrough) {
  Make();
  const auto x = Receive("/api/v1/pods/a");
  net::http::Response response = TextResponse(200, std::string(kSmallBody + 1, 'x'));
  Answer(x, response);
  EXPECT_THAT(notes_->stages, ElementsAre("RequestReceived"));
  testing::ReadBody(response);
  response.body.reset();
  EXPECT_THAT(notes_->stages, ElementsAre("RequestReceived", "ResponseComplete"));
}

TEST_F(AuditFilterTest, AWatchIsToldOfWhenItStartsAndWhenItEnds) {
  Make();
  const auto x = Receive("/api/v1/watch/pods", /*long_running=*/true);
  net::http::Response response = TextResponse(200, "events");
  Answer(x, response);
  EXPECT_THAT(notes_->stages, ElementsAre("RequestReceived", "ResponseStarted"));
  response.body.reset();
  EXPECT_THAT(notes_->stages, ElementsAre("RequestReceived", "ResponseStarted", "ResponseComplete"));
}

TEST_F(AuditFilterTest, ASlowRequestTellsWhatTookItsTime) {
  Make();
  const auto x = Receive("/api/v1/pods/a");
  x->audit->latencies.authorization = std::chrono::milliseconds(200);
  x->notes.queued = std::chrono::milliseconds(1);
  x->notes.storage = std::chrono::milliseconds(50);
  x->notes.decoding = std::chrono::microseconds(7);
  x->notes.mutating_webhooks = std::chrono::milliseconds(3);
  x->notes.validating_webhooks = std::chrono::milliseconds(4);
  x->notes.answering = x->received + std::chrono::milliseconds(480);
  x->audit->deprecated = true;
  x->audit->removed_release = "1.38";
  clock_.Advance(std::chrono::milliseconds(501));
  net::http::Response response = TextResponse(200, "x");
  Answer(x, response);
  EXPECT_THAT(
      notes_->annotations,
      ElementsAre(std::pair("apiserver.latency.k8s.io/apf-queue-wait", "1ms"),
                  std::pair("apiserver.latency.k8s.io/authorization", "200ms"),
                  std::pair("apiserver.latency.k8s.io/decode-response-object", "7µs"),
                  std::pair("apiserver.latency.k8s.io/etcd", "50ms"),
                  std::pair("apiserver.latency.k8s.io/mutating-webhook", "3ms"),
                  std::pair("apiserver.latency.k8s.io/serialize-response-object", "21ms"),
                  std::pair("apiserver.latency.k8s.io/total", "501ms"),
                  std::pair("apiserver.latency.k8s.io/validating-webhook", "4ms"),
                  std::pair("k8s.io/deprecated", "true"), std::pair("k8s.io/removed-release", "1.38")));
}

TEST_F(AuditFilterTest, WhatAuthenticationRemarksIsInTheEvent) {
  Make();
  remarks_.Annotate("authentication.k8s.io/legacy-token", "system:serviceaccount:a:b");
  const auto x = Receive("/api/v1/pods/a");
  EXPECT_THAT(notes_->annotations,
              ElementsAre(std::pair("authentication.k8s.io/legacy-token", "system:serviceaccount:a:b")));
  net::http::Response response = endpoints::StatusResponse(api::Unauthorized("Unauthorized"), "");
  notes_->annotations.clear();
  base::Spawn(filter_->Refused(*x, response));
  EXPECT_THAT(notes_->annotations,
              ElementsAre(std::pair("authentication.k8s.io/legacy-token", "system:serviceaccount:a:b")));
}

TEST_F(AuditFilterTest, NothingIsMadeWhereThePolicySaysNone) {
  Make();
  EXPECT_EQ(Receive("/api/v1/pods")->audit, nullptr);
  EXPECT_THAT(notes_->stages, IsEmpty());
}

TEST_F(AuditFilterTest, AStrictSinkThatFailsRefusesTheRequest) {
  Make(/*strict=*/true);
  const auto x = Receive("/api/v1/pods/a");
  ASSERT_TRUE(refused_);
  EXPECT_EQ(refused_->status, 500);
  EXPECT_EQ(testing::ReadBody(*refused_),
            "Internal Server Error: \"/api/v1/pods/a\": failed to store audit event\n");
  EXPECT_EQ(x->audit, nullptr);  // its answer is not told of
  EXPECT_THAT(metrics_.Render(), ::testing::HasSubstr("apiserver_audit_requests_rejected_total 1"));
}

TEST(SourceIpsTest, ProxiesComeBeforeTheConnection) {
  const auto ips = [](std::string_view forwarded, std::string_view real, std::string remote) {
    net::http::Request request = MakeRequest("GET", "/");
    auto connection = std::make_shared<net::http::ConnectionInfo>();
    connection->remote_address = std::move(remote);
    request.connection = connection;
    if (!forwarded.empty()) request.headers.Add("x-forwarded-for", forwarded);
    if (!real.empty()) request.headers.Add("x-real-ip", real);
    return SourceIps(request);
  };
  EXPECT_THAT(ips("", "", "10.0.0.1"), ElementsAre("10.0.0.1"));
  EXPECT_THAT(ips("1.1.1.1, x,2001:DB8::1", "1.1.1.1", "::ffff:10.0.0.1"),
              ElementsAre("1.1.1.1", "2001:db8::1", "10.0.0.1"));
  EXPECT_THAT(ips("1.1.1.1,10.0.0.1", "2.2.2.2", "10.0.0.1"),
              ElementsAre("1.1.1.1", "10.0.0.1", "2.2.2.2", "10.0.0.1"));
  EXPECT_THAT(ips("1.1.1.1,10.0.0.1", "", "10.0.0.1"), ElementsAre("1.1.1.1", "10.0.0.1"));
}

}  // namespace
}  // namespace keelson::server
