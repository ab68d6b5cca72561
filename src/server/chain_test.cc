#include "server/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authn/authenticators.h"
#include "auth/authz/authorizers.h"
#include "auth/authz/rbac/rbac_authorizer.h"
#include "base/sync_wait.h"
#include "server/testing/manual_loop.h"
#include "server/testing/requests.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::MakeRequest;
using ::testing::Not;

std::unique_ptr<auth::Authenticator> TokensAndAnonymous(bool anonymous) {
  std::vector<std::unique_ptr<auth::Authenticator>> parts;
  parts.push_back(auth::ClientCertificates());
  static const auto tokens =
      *auth::ParseStaticTokens("admin,root,1,system:masters\nuser,ann,2\n", "test", {});
  parts.push_back(auth::BearerTokens(*tokens, {}));
  return auth::Union(std::move(parts), anonymous ? auth::Anonymous() : nullptr);
}

// What a handler saw and does.
struct Handler {
  base::Task<net::http::Response> Serve(IncomingRequest& x) {
    ++served;
    incoming = &x;
    user = x.user->name;
    saw_authorization = x.request.headers.Get("authorization").has_value();
    if (wait) {
      const int code = co_await released;
      path_afterwards = x.request.path;
      co_return TextResponse(code, "late");
    }
    net::http::Response response = TextResponse(200, body);
    if (cacheable) response.headers.Add("cache-control", "public");
    co_return response;
  }

  std::string body = "hello";
  bool wait = false, cacheable = false;
  base::Completion<int> released;

  int served = 0;
  const IncomingRequest* incoming = nullptr;  // valid while the answer is
  std::string user, path_afterwards;
  bool saw_authorization = false;
};

class ChainTest : public ::testing::Test {
 protected:
  ChainTest() {
    router_.AddSubtree("/api", [this](IncomingRequest& x) { return handler_.Serve(x); });
  }
  net::http::Response Send(std::string method, std::string_view target, std::string_view token = "admin",
                           std::string_view accept = "") {
    request_ = MakeRequest(std::move(method), target);
    if (!token.empty()) request_.headers.Add("authorization", "Bearer " + std::string(token));
    if (!accept.empty()) request_.headers.Add("accept", accept);
    return base::SyncWait(chain_.Handle(request_));
  }
  // Sends on the loop; the answer comes into `answer_`.
  void SendOnLoop(std::string_view target, std::string method = "GET") {
    request_ = MakeRequest(std::move(method), target);
    request_.headers.Add("authorization", "Bearer admin");
    loop_.Post([this] { base::Spawn(Await()); });
    loop_.Run();
  }
  base::Task<void> Await() { answer_.emplace(co_await chain_.Handle(request_)); }

  base::FakeClock clock_;
  testing::ManualLoop loop_{clock_};
  base::Metrics metrics_;
  Router router_;
  Handler handler_;
  net::http::Request request_;
  std::optional<net::http::Response> answer_;
  std::unique_ptr<auth::Authenticator> authenticator_ = TokensAndAnonymous(true);
  std::unique_ptr<auth::Authorizer> authorizer_ =
      auth::MastersFirst(std::make_unique<auth::rbac::RbacAuthorizer>());
  Chain chain_{{.max_requests_inflight = 1, .max_mutating_requests_inflight = 1, .count_for_draining = true},
               *authenticator_,
               *authorizer_,
               router_,
               [](const auto&) { return true; },
               metrics_,
               clock_};
};

TEST_F(ChainTest, AnAllowedRequestIsServedWithTheHeadersOfEveryAnswer) {
  net::http::Response response = Send("GET", "/api/v1/pods");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.Get("cache-control"), "no-cache, private");
  EXPECT_EQ(response.headers.Get("audit-id")->size(), 36u);
  EXPECT_EQ(testing::ReadBody(response), "hello");
  EXPECT_EQ(handler_.user, "root");
  EXPECT_FALSE(handler_.saw_authorization) << "credentials must not go further";
}

TEST_F(ChainTest, AHandlersOwnCacheControlStays) {
  handler_.cacheable = true;
  EXPECT_EQ(Send("GET", "/api/v1").headers.Get("cache-control"), "public");
}

TEST_F(ChainTest, WrongCredentialsGet401AsStatus) {
  net::http::Response response = Send("GET", "/api/v1/pods", "wrong");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  EXPECT_TRUE(response.headers.Get("audit-id"));
  EXPECT_EQ(
      testing::ReadBody(response),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})"
      "\n");
  EXPECT_EQ(handler_.served, 0);
}

TEST_F(ChainTest, WhoMayNotGets403BeforeAnyRouting) {
  net::http::Response response = Send("GET", "/api/v1/namespaces/y/pods", "user");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.headers.Get("x-content-type-options"), "nosniff");
  EXPECT_THAT(
      testing::ReadBody(response),
      HasSubstr(
          R"("message":"pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the namespace \"y\"","reason":"Forbidden","details":{"kind":"pods"},"code":403)"));
  net::http::Response unknown = Send("GET", "/nope", "");
  EXPECT_EQ(unknown.status, 403);
  EXPECT_THAT(
      testing::ReadBody(unknown),
      HasSubstr(
          R"("message":"forbidden: User \"system:anonymous\" cannot get path \"/nope\"","reason":"Forbidden","details":{},"code":403)"));
  EXPECT_EQ(Send("GET", "/nope").status, 404);
}

TEST_F(ChainTest, WithoutAnonymousUsersNoCredentialsAre401) {
  const auto authenticator = TokensAndAnonymous(false);
  Chain chain({}, *authenticator, *authorizer_, router_, [](const auto&) { return true; }, metrics_, clock_);
  net::http::Request request = MakeRequest("GET", "/healthz");
  EXPECT_EQ(base::SyncWait(chain.Handle(request)).status, 401);
}

TEST_F(ChainTest, UnauthenticatedHttp2ConnectionsEndAfterOneRequest) {
  const auto connection_of = [&](std::string_view protocol, std::string_view token) {
    net::http::Request request = MakeRequest("GET", "/api");
    auto info = std::make_shared<net::http::ConnectionInfo>();
    info->protocol = protocol;
    request.connection = info;
    if (!token.empty()) request.headers.Add("authorization", "Bearer " + std::string(token));
    const net::http::Response response = base::SyncWait(chain_.Handle(request));
    return std::string(response.headers.Get("connection").value_or(""));
  };
  EXPECT_EQ(connection_of("HTTP/2.0", ""), "close");
  EXPECT_EQ(connection_of("HTTP/2.0", "wrong"), "close");
  EXPECT_EQ(connection_of("HTTP/2.0", "user"), "");
  EXPECT_EQ(connection_of("HTTP/1.1", ""), "");
}

TEST_F(ChainTest, ABadTimeoutIsRefusedBeforeAuthentication) {
  EXPECT_EQ(Send("GET", "/api/v1/pods?timeout=abc", "wrong").status, 400);
  EXPECT_EQ(Send("GET", "/api/v1/pods?watch=true&timeout=abc").status, 200) << "a watch has no deadline";
}

TEST_F(ChainTest, PastTheDeadlineTheAnswerIs504AndTheHandlerKeepsItsRequest) {
  handler_.wait = true;
  SendOnLoop("/api/v1/a-name-too-long-for-the-short-string-buffer?timeout=5s");
  EXPECT_FALSE(answer_);
  for (int i = 0; i < 51; ++i) loop_.Advance(100ms);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status, 504);
  EXPECT_THAT(testing::ReadBody(*answer_), HasSubstr("request did not complete within the allotted timeout"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_request_terminations_total{code=\"504\""));

  request_ = {};
  handler_.released.Set(200);
  loop_.Run();
  EXPECT_EQ(handler_.path_afterwards, "/api/v1/a-name-too-long-for-the-short-string-buffer");
}

TEST_F(ChainTest, AHandlersOwn504IsTheDeadlinesWhenThatHasCome) {
  handler_.wait = true;
  const auto answer_after = [&](std::chrono::milliseconds time) {
    answer_.reset();
    handler_.released = base::Completion<int>();
    SendOnLoop("/api/v1/pods?timeout=5s", "POST");
    clock_.Advance(time);
    handler_.released.Set(504);
    loop_.Run();
    EXPECT_EQ(answer_->status, 504);
    return testing::ReadBody(*answer_);
  };
  EXPECT_EQ(answer_after(4s), "late");
  EXPECT_THAT(answer_after(5s), HasSubstr("request did not complete within the allotted timeout"));
}

TEST_F(ChainTest, ADeleteCollectionHasAllTheTimeItNeedsUnlessTheClientSaysOtherwise) {
  handler_.wait = true;
  SendOnLoop("/api/v1/namespaces/y/pods", "DELETE");
  for (int i = 0; i < 610; ++i) loop_.Advance(100ms);
  EXPECT_FALSE(answer_);
  handler_.released.Set(200);
  loop_.Run();
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status, 200);

  answer_.reset();
  handler_.released = base::Completion<int>();
  SendOnLoop("/api/v1/namespaces/y/pods?timeout=5s", "DELETE");
  for (int i = 0; i < 51; ++i) loop_.Advance(100ms);
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status, 504);
  handler_.released.Set(200);
  loop_.Run();
}

TEST_F(ChainTest, ALongBodyCountsAsUnderWayUntilItIsThrough) {
  handler_.body.assign(100'000, 'x');
  std::optional<net::http::Response> response = Send("GET", "/api/v1/pods");
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1\n"));
  EXPECT_THAT(metrics_.Render(), Not(HasSubstr("apiserver_request_total{")));
  EXPECT_EQ(testing::ReadBody(*response).size(), 100'000u);
  response.reset();
  clock_.Advance(std::chrono::seconds(2));  // what is told is the peak of the last second
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 0\n"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_request_total{code=\"200\""));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("apiserver_response_sizes_sum{component=\"apiserver\",group=\"\",resource=\"pods\","
                        "scope=\"cluster\",subresource=\"\",verb=\"LIST\",version=\"v1\"} 1e+05\n"));
}

TEST_F(ChainTest, AWatchKeepsNothingOfItsHead) {
  request_ = MakeRequest("GET", "/api/v1/pods?watch=true&labelSelector=" + std::string(1000, 's'));
  request_.headers.Add("authorization", "Bearer admin");
  request_.headers.Add("audit-id", std::string(1000, 'a'));
  for (int i = 0; i < 100; ++i) request_.headers.Add("x-long", std::string(1000, 'x'));
  const auto response = base::SyncWait(chain_.Handle(request_));
  EXPECT_EQ(response.headers.Get("audit-id")->size(), 1000u);
  ASSERT_TRUE(handler_.incoming);
  EXPECT_TRUE(handler_.incoming->request.headers.empty());
  EXPECT_LT(handler_.incoming->request.query.capacity(), 100u);
  EXPECT_EQ(handler_.incoming->audit_id, std::string(64, 'a'));
}

TEST_F(ChainTest, OnlyAnAuthenticatedClientMakesItsConnectionKnown) {
  for (const bool known : {false, true}) {
    request_ = MakeRequest("GET", "/api/v1/pods");
    const auto connection = std::make_shared<net::http::ConnectionInfo>();
    request_.connection = connection;
    if (known) request_.headers.Add("authorization", "Bearer user");
    base::SyncWait(chain_.Handle(request_));
    EXPECT_EQ(connection->authenticated, known);
  }
}

TEST_F(ChainTest, FlowControlTurnsAwayWhoHasNoSeatAndMarksEveryAnswerThatWentThroughIt) {
  flow_control::FlowControl control(/*seats=*/1, metrics_, clock_);
  Chain chain(
      {.flow_control = &control}, *authenticator_, *authorizer_, router_, [](const auto&) { return true; },
      metrics_, clock_);
  const auto send = [&](std::string_view target, std::string_view token) {
    net::http::Request request = MakeRequest("GET", target);
    request.headers.Add("authorization", "Bearer " + std::string(token));
    return base::SyncWait(chain.Handle(request));
  };
  EXPECT_EQ(send("/api/v1/pods", "admin").headers.Get("x-kubernetes-pf-prioritylevel-uid"), "")
      << "the object is not there yet";
  EXPECT_TRUE(send("/api/v1/pods", "user").headers.Get("x-kubernetes-pf-flowschema-uid")) << "403 has it too";
  EXPECT_FALSE(send("/api/v1/pods", "wrong").headers.Get("x-kubernetes-pf-flowschema-uid"))
      << "401 comes before";
  EXPECT_FALSE(send("/api/v1/namespaces/a/pods/b/log", "admin").headers.Get("x-kubernetes-pf-flowschema-uid"))
      << "streams are not controlled";

  const endpoints::RequestInfo info = endpoints::ParseRequestInfo("GET", "/api/v1/pods", "");
  const auth::User eve{.name = "eve", .groups = {"system:authenticated"}};
  auto taken = std::make_unique<flow_control::Ticket>();
  ASSERT_EQ(control.Admit({.info = info, .query = "", .user = eve, .wait_until = {}}, *taken),
            flow_control::FlowControl::Admission::kExecutes);
  net::http::Response refused = send("/api/v1/pods", "user");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("retry-after"), "1");
  EXPECT_TRUE(refused.headers.Get("x-kubernetes-pf-flowschema-uid"));
  EXPECT_EQ(testing::ReadBody(refused), "Too many requests, please try again later.\n");
  EXPECT_EQ(send("/api/v1/pods", "admin").status, 200);
  const std::string text = metrics_.Render();
  EXPECT_THAT(text, HasSubstr("apiserver_dropped_requests_total{request_kind=\"readOnly\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("apiserver_request_terminations_total{code=\"429\""));
  taken.reset();
  EXPECT_EQ(send("/api/v1/pods", "user").status, 403);
}

TEST_F(ChainTest, SlowAndFailedRequestsAreLoggedWithoutTheirQuery) {
  handler_.wait = true;
  ::testing::internal::CaptureStderr();
  SendOnLoop("/api/v1/pods?token=secret");
  loop_.Advance(2s);
  handler_.released.Set(200);
  loop_.Run();
  handler_.released = base::Completion<int>();
  SendOnLoop("/api/v1/nodes?token=secret");
  handler_.released.Set(503);
  loop_.Run();
  handler_.wait = false;
  SendOnLoop("/api/v1/services");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("slow request verb=list path=/api/v1/pods user=root code=200 ms=2000 auditID="));
  EXPECT_THAT(log, HasSubstr("request failed verb=list path=/api/v1/nodes user=root code=503"));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
  EXPECT_THAT(log, Not(HasSubstr("/api/v1/services")));
}

TEST_F(ChainTest, AServerThatStopsTurnsRequestsAwayAndCountsThoseUnderWay) {
  handler_.wait = true;
  SendOnLoop("/api/v1/pods/a");
  EXPECT_EQ(chain_.draining().under_way(), 1);
  chain_.draining().Begin();
  const net::http::Response refused = Send("GET", "/api/v1/pods");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.Get("retry-after"), "5");
  EXPECT_EQ(refused.headers.Get("connection"), "close");
  EXPECT_EQ(Send("GET", "/api/v1/pods?watch=true").status, 429);
  EXPECT_EQ(Send("GET", "/healthz").status, 404) << "nobody serves it here, but it is not turned away";
  handler_.released.Set(200);
  loop_.Run();
  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->status, 200);
  EXPECT_EQ(chain_.draining().under_way(), 0);
}

TEST_F(ChainTest, AnswersCarryWhatTheFlagsSay) {
  ChainConfig config{.max_requests_inflight = 1, .max_mutating_requests_inflight = 1};
  config.cross_origin = *CrossOriginFilter::Create({"//example\\.com(:|$)"});
  config.strict_transport_security = "max-age=1; preload";
  config.goaway_chance = 1;
  Chain chain(
      std::move(config), *authenticator_, *authorizer_, router_, [](const auto&) { return true; }, metrics_,
      clock_);
  const auto send = [&](std::string method, std::string_view origin, std::string_view token) {
    request_ = MakeRequest(std::move(method), "/api/v1/pods");
    auto connection = std::make_shared<net::http::ConnectionInfo>();
    connection->protocol = "HTTP/2.0";
    request_.connection = connection;
    request_.headers.Add("authorization", "Bearer " + std::string(token));
    request_.headers.Add("origin", origin);
    return base::SyncWait(chain.Handle(request_));
  };
  const net::http::Response allowed = send("GET", "https://example.com:8443", "admin");
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(allowed.headers.Get("access-control-allow-origin"), "https://example.com:8443");
  EXPECT_EQ(allowed.headers.Get("access-control-allow-credentials"), "true");
  EXPECT_EQ(allowed.headers.Get("strict-transport-security"), "max-age=1; preload");
  EXPECT_EQ(allowed.headers.Get("connection"), "close") << "the chance is certainty";
  EXPECT_FALSE(
      send("GET", "https://example.com.evil.org", "admin").headers.Get("access-control-allow-origin"));
  const net::http::Response asked = send("OPTIONS", "https://example.com", "wrong");
  EXPECT_EQ(asked.status, 204) << "browsers ask without credentials";
  EXPECT_EQ(asked.headers.Get("access-control-expose-headers"), "Date");
}

}  // namespace
}  // namespace keelson::server
