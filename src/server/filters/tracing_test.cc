#include "server/filters/tracing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "auth/authn/authenticators.h"
#include "auth/authz/authorizers.h"
#include "auth/authz/rbac/rbac_authorizer.h"
#include "base/sync_wait.h"
#include "server/chain.h"
#include "server/testing/requests.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::string_view kNotSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

class KeptSpans final : public base::SpanSink {
 public:
  void Take(std::vector<base::SpanPtr> taken) override {
    for (base::SpanPtr& span : taken) spans.push_back(std::move(span));
  }
  const base::Span* Find(std::string_view name) const {
    for (const base::SpanPtr& span : spans)
      if (span->name == name) return span.get();
    return nullptr;
  }
  std::vector<base::SpanPtr> spans;
};

std::map<std::string, std::string> AttributesOf(const base::Span& span) {
  std::map<std::string, std::string> all;
  for (const base::SpanAttribute& a : span.attributes) {
    const auto* const text = std::get_if<std::string>(&a.value);
    all[std::string(a.key)] = text ? *text : std::to_string(std::get<int64_t>(a.value));
  }
  return all;
}

class TracingFilterTest : public ::testing::Test {
 protected:
  int Send(int32_t rate, std::string_view token, std::string_view parent = "",
           std::string_view target = "/api/v1/namespaces/x/pods/a?pretty=1") {
    const TracingFilter filter{tracing::Sampler(rate), kept_};
    ChainConfig config{};
    config.tracing = &filter;
    static const auto tokens =
        *auth::ParseStaticTokens("admin,root,1,system:masters\nuser,ann,2\n", "test", {});
    std::vector<std::unique_ptr<auth::Authenticator>> parts;
    parts.push_back(auth::BearerTokens(*tokens, {}));
    const auto authenticator = auth::Union(std::move(parts), nullptr);
    const auto authorizer = auth::MastersFirst(std::make_unique<auth::rbac::RbacAuthorizer>());
    base::Metrics metrics;
    Router router;
    router.AddSubtree("/api", [this](IncomingRequest& x) -> base::Task<net::http::Response> {
      handed_on_ = x.notes.trace ? x.notes.trace->current() : base::SpanContext();
      co_return TextResponse(status_, "hello");
    });
    Chain chain(
        std::move(config), *authenticator, *authorizer, router, [](const auto&) { return true; }, metrics);
    auto request = testing::MakeRequest("GET", target);
    request.headers.Add("authorization", "Bearer " + std::string(token));
    request.headers.Add("host", "example.com:6443");
    request.headers.Add("user-agent", "test/1");
    request.headers.Add("audit-id", "the-id");
    if (!parent.empty()) request.headers.Add("traceparent", parent);
    auto info = std::make_shared<net::http::ConnectionInfo>();
    info->remote_address = "10.0.0.1";
    info->remote_port = 4711;
    info->protocol = "HTTP/2.0";
    info->tls = true;
    request.connection = info;
    return base::SyncWait(chain.Handle(request)).status;
  }
  // The names of the spans from the outermost in.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const base::SpanPtr& span : kept_.spans) names.insert(names.begin(), span->name);
    return names;
  }

  int status_ = 200;
  base::SpanContext handed_on_;
  KeptSpans kept_;
};

TEST_F(TracingFilterTest, EveryFilterEnclosesTheNextOne) {
  EXPECT_EQ(Send(1'000'000, "admin"), 200);
  EXPECT_THAT(Names(), ElementsAre("authentication", "GET /api/v1/namespaces/{:namespace}/pods/{:name}",
                                   "audit", "constrainedimpersonation", "authorization"));
  for (size_t i = 0; i + 1 < kept_.spans.size(); ++i)
    EXPECT_EQ(kept_.spans[i]->parent, kept_.spans[i + 1]->context.span_id);
  EXPECT_EQ(kept_.spans.back()->parent, base::SpanId{});
}

TEST_F(TracingFilterTest, TheRequestIsDescribedByOpenTelemetrysConventions) {
  Send(1'000'000, "admin");
  const base::Span* const span = kept_.Find("GET /api/v1/namespaces/{:namespace}/pods/{:name}");
  ASSERT_TRUE(span);
  EXPECT_EQ(span->kind, base::SpanKind::kServer);
  EXPECT_FALSE(span->failed);
  const std::map<std::string, std::string> expected{{"server.address", "example.com"},
                                                    {"server.port", "6443"},
                                                    {"http.request.method", "GET"},
                                                    {"url.scheme", "https"},
                                                    {"url.path", "/api/v1/namespaces/x/pods/a"},
                                                    {"http.target", "/api/v1/namespaces/x/pods/a?pretty=1"},
                                                    {"network.peer.address", "10.0.0.1"},
                                                    {"network.peer.port", "4711"},
                                                    {"network.protocol.version", "2.0"},
                                                    {"client.address", "10.0.0.1"},
                                                    {"user_agent.original", "test/1"},
                                                    {"audit-id", "the-id"},
                                                    {"http.response.body.size", "5"},
                                                    {"http.response.status_code", "200"}};
  EXPECT_EQ(AttributesOf(*span), expected);
}

TEST_F(TracingFilterTest, APrivilegedClientChoosesTheTrace) {
  Send(0, "admin", kSampled);
  const base::Span* const span = kept_.Find("GET /api/v1/namespaces/{:namespace}/pods/{:name}");
  ASSERT_TRUE(span);
  const base::SpanContext given = base::ParseTraceParent(kSampled, "");
  EXPECT_EQ(span->context.trace_id, given.trace_id);
  EXPECT_EQ(span->parent, given.span_id);
  EXPECT_TRUE(span->parent_remote);
  EXPECT_FALSE(kept_.Find("authentication")) << "it begins before anybody may choose";
}

TEST_F(TracingFilterTest, APrivilegedClientChoosesThatNothingIsRecorded) {
  Send(1'000'000, "admin", kNotSampled);
  EXPECT_THAT(Names(), ElementsAre("authentication"));
  EXPECT_EQ(handed_on_.trace_id, base::ParseTraceParent(kNotSampled, "").trace_id);
}

TEST_F(TracingFilterTest, AnybodyElsesTraceIsOnlyALink) {
  EXPECT_EQ(Send(1'000'000, "user", kSampled), 403);
  const base::Span* const span = kept_.Find("GET /api/v1/namespaces/{:namespace}/pods/{:name}");
  ASSERT_TRUE(span);
  const base::SpanContext given = base::ParseTraceParent(kSampled, "");
  EXPECT_NE(span->context.trace_id, given.trace_id);
  EXPECT_EQ(span->parent, base::SpanId{});
  EXPECT_EQ(span->link.trace_id, given.trace_id);
  EXPECT_EQ(span->link.span_id, given.span_id);
  EXPECT_THAT(AttributesOf(*span), Contains(Pair("http.response.status_code", "403")));

  kept_.spans.clear();
  Send(0, "user", kSampled);
  EXPECT_THAT(kept_.spans, IsEmpty()) << "nobody may make the server record by a header";
}

TEST_F(TracingFilterTest, WhatTheServerFailsAtIsAnError) {
  status_ = 500;
  Send(1'000'000, "admin");
  EXPECT_TRUE(kept_.Find("GET /api/v1/namespaces/{:namespace}/pods/{:name}")->failed);
}

TEST_F(TracingFilterTest, WhoIsNotKnownHasNoRequestSpan) {
  EXPECT_EQ(Send(1'000'000, "wrong"), 401);
  EXPECT_THAT(Names(), ElementsAre("authentication"));
}

TEST_F(TracingFilterTest, WhatIsNoResourceIsNamedByItsMethod) {
  Send(1'000'000, "admin", "", "/api");
  EXPECT_TRUE(kept_.Find("GET"));
}

}  // namespace
}  // namespace keelson::server
