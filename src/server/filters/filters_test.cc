#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "auth/authn/authenticators.h"
#include "auth/authz/authorizers.h"
#include "auth/authz/rbac/rbac_authorizer.h"
#include "base/sync_wait.h"
#include "server/filters/audit_id.h"
#include "server/filters/authentication.h"
#include "server/filters/authorization.h"
#include "server/filters/held_heads.h"
#include "server/filters/impersonation.h"
#include "server/filters/in_flight.h"
#include "server/filters/long_running.h"
#include "server/filters/request_metrics.h"
#include "server/testing/requests.h"

namespace keelson::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeRequest;
using ::testing::MatchesRegex;

auth::UserPtr Member(std::string name, std::vector<std::string> groups) {
  return std::make_shared<const auth::User>(auth::User{.name = std::move(name), .groups = std::move(groups)});
}
const auth::UserPtr kAdmin = Member("admin", {"system:masters", "system:authenticated"});
const auth::UserPtr kAnn = Member("ann", {"system:authenticated"});

IncomingRequestPtr MakeIncoming(std::string method, std::string_view target, auth::UserPtr user = kAnn) {
  net::http::Request request = MakeRequest(std::move(method), target);
  IncomingRequestPtr x(new IncomingRequest(request, {}));
  x->info = endpoints::ParseRequestInfo(x->request.method, x->request.path, x->request.query);
  x->long_running = IsLongRunning(x->info);
  x->user = std::move(user);
  return x;
}

TEST(ExchangeTest, TakesTheRequestAndLeavesWhatTheConnectionNeeds) {
  net::http::Request request = MakeRequest("HEAD", "/a-path-too-long-for-the-short-string-buffer?q");
  request.headers.Add("expect", "100-continue");
  IncomingRequestPtr x(new IncomingRequest(request, {}));
  EXPECT_EQ(x->request.path, "/a-path-too-long-for-the-short-string-buffer");
  EXPECT_EQ(request.method, "HEAD");
  EXPECT_EQ(request.headers.Get("expect"), "100-continue");
}

TEST(AuditIdTest, IsTheClientsOwnOrANewUuid) {
  net::http::Request request = MakeRequest("GET", "/");
  const std::string first = AuditId(request), second = AuditId(request);
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(first, second);
  request.headers.Add("audit-id", "mine");
  EXPECT_EQ(AuditId(request), "mine");
}

class SaysWho final : public auth::Authenticator {
 public:
  base::Task<Outcome> Authenticate(const net::http::Request&, auth::Remarks& remarks) override {
    remarks = says;
    co_return outcome;
  }
  auth::Remarks says;
  Outcome outcome = auth::UserPtr();
};

TEST(AuthenticationTest, AttemptsAreCountedByTheirResultAndNotByName) {
  base::Metrics metrics;
  AuthenticationMetrics counted(metrics);
  SaysWho authenticator;
  const AuthenticationFilter filter(authenticator, {}, &counted);
  const auto try_with = [&](SaysWho::Outcome outcome) {
    authenticator.outcome = std::move(outcome);
    auto incoming = MakeIncoming("GET", "/version");
    return base::SyncWait(filter.Apply(*incoming));
  };
  const auto named = [](std::string name) {
    return std::make_shared<const auth::User>(auth::User{.name = std::move(name)});
  };
  try_with(auth::UserPtr());
  try_with(base::Err(std::string("wrong")));
  for (const char* name : {"kubelet", "ann@example.com", "bob", "carl"}) try_with(named(name));
  const std::string text = metrics.Render();
  for (const char* line :
       {"authentication_attempts{result=\"success\"} 4\n", "authentication_attempts{result=\"failure\"} 1\n",
        "authentication_attempts{result=\"error\"} 1\n",
        "authentication_duration_seconds_count{result=\"success\"} 4\n",
        "authenticated_user_requests{username=\"kubelet\"} 1\n",
        "authenticated_user_requests{username=\"email_id\"} 1\n",
        "authenticated_user_requests{username=\"other\"} 2\n"})
    EXPECT_THAT(text, ::testing::HasSubstr(line));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("bob")));
}

TEST(AuthenticationTest, ClaimsOfAFrontProxyAreTakenOutInLinearTime) {
  const auto authenticator = auth::Anonymous();
  auto incoming = MakeIncoming("GET", "/version");
  for (int i = 0; i < 100'000; ++i)
    incoming->request.headers.Add("x-remote-extra-" + std::to_string(i), "claim");
  incoming->request.headers.Add("accept", "*/*");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(base::SyncWait(AuthenticationFilter(*authenticator).Apply(*incoming)));
  // Field by field it takes a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(incoming->accept(), "*/*");
  EXPECT_EQ(incoming->request.headers.size(), 1u);
}

TEST(HeldHeadsTest, OneUsersLargeHeadsAreBoundedUntilTheyAreShed) {
  HeldHeadsFilter filter(/*limit_bytes=*/100'000);
  const auto with_head = [](size_t bytes, auth::UserPtr user) {
    auto incoming = MakeIncoming("GET", "/api/v1/pods", std::move(user));
    incoming->request.headers.Add("x-long", std::string(bytes, 'x'));
    return incoming;
  };
  auto first = with_head(60'000, kAnn), second = with_head(60'000, kAnn), small = with_head(1000, kAnn),
       other = with_head(60'000, kAdmin);
  EXPECT_FALSE(filter.Apply(*first));
  const auto refused = filter.Apply(*second);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  EXPECT_FALSE(filter.Apply(*small)) << "ordinary requests go on";
  EXPECT_FALSE(filter.Apply(*other)) << "so do those of others";
  first->ShedHead();
  EXPECT_FALSE(filter.Apply(*second)) << "an answer that is being sent holds nothing";
  second = nullptr;
  EXPECT_FALSE(filter.Apply(*with_head(60'000, kAnn)));
}

TEST(HeldHeadsTest, AnEventThatHasALongUriIsCountedForAsLongAsTheAnswer) {
  HeldHeadsFilter filter(/*limit_bytes=*/100'000);
  const auto with_event = [&](size_t uri_bytes) {
    auto incoming = MakeIncoming("GET", "/api/v1/pods", kAnn);
    incoming->request.headers.Add("x-long", std::string(60'000, 'x'));
    incoming->audit = std::make_unique<audit::Event>(audit::Decision{.level = audit::Level::kMetadata});
    incoming->audit->uri = std::string(uri_bytes, 'x');
    return incoming;
  };
  auto usual = with_event(100), large = with_event(60'000), next = with_event(100);
  EXPECT_FALSE(filter.Apply(*usual));
  usual->ShedHead();
  EXPECT_FALSE(filter.Apply(*large)) << "an event of usual size does not count";
  large->ShedHead();
  EXPECT_TRUE(filter.Apply(*next));
  large = nullptr;
  EXPECT_FALSE(filter.Apply(*next));
}

TEST(LongRunningTest, WatchesAndStreamsAre) {
  EXPECT_TRUE(MakeIncoming("GET", "/api/v1/pods?watch=true")->long_running);
  EXPECT_TRUE(MakeIncoming("GET", "/api/v1/namespaces/a/pods/b/log")->long_running);
  EXPECT_TRUE(MakeIncoming("POST", "/api/v1/namespaces/a/pods/b/exec")->long_running);
  EXPECT_FALSE(MakeIncoming("GET", "/api/v1/pods")->long_running);
  EXPECT_FALSE(MakeIncoming("GET", "/healthz")->long_running);
}

TEST(InFlightTest, OverTheLimitTheAnswerIs429) {
  base::Metrics metrics;
  InFlightFilter filter(/*max_read_only=*/2, /*max_mutating=*/1, metrics);
  auto first = MakeIncoming("GET", "/api/v1/pods"), second = MakeIncoming("GET", "/api/v1/pods/x"),
       third = MakeIncoming("GET", "/api/v1/pods"), write = MakeIncoming("POST", "/api/v1/nodes");
  EXPECT_FALSE(filter.Apply(*first, first->received));
  EXPECT_FALSE(filter.Apply(*second, second->received));
  EXPECT_FALSE(filter.Apply(*write, write->received)) << "writes have their own limit";
  EXPECT_THAT(metrics.Render(),
              HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 2\n"));
  auto refused = filter.Apply(*third, third->received);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->headers.Get("retry-after"), "1");
  EXPECT_EQ(testing::ReadBody(*refused), "Too many requests, please try again later.\n");
  EXPECT_THAT(metrics.Render(), HasSubstr("apiserver_dropped_requests_total{request_kind=\"readOnly\"} 1\n"));

  first = nullptr;
  EXPECT_FALSE(filter.Apply(*third, third->received)) << "the slot comes back when the request is gone";
}

TEST(InFlightTest, WatchesAndMastersAlwaysPass) {
  base::Metrics metrics;
  InFlightFilter filter(1, 1, metrics);
  auto full = MakeIncoming("GET", "/api/v1/pods"), watch = MakeIncoming("GET", "/api/v1/pods?watch=1"),
       admin = MakeIncoming("GET", "/api/v1/pods", kAdmin);
  EXPECT_FALSE(filter.Apply(*full, full->received));
  EXPECT_FALSE(filter.Apply(*watch, watch->received));
  EXPECT_FALSE(filter.Apply(*admin, admin->received));
}

TEST(InFlightTest, SharesOfTheCapacityAreCountedByTheTimeTheyLast) {
  base::Metrics metrics;
  base::FakeClock clock;
  InFlightFilter filter(0, 0, metrics, clock,
                        [] { return InFlightFilter::Capacity{.executing = 10, .waiting = 4}; });
  auto read = MakeIncoming("GET", "/api/v1/pods"), waiting = MakeIncoming("POST", "/api/v1/nodes");
  EXPECT_FALSE(filter.Apply(*read, clock.SteadyNow()));
  {
    const TimedSlot slot = filter.CountWaiting(*waiting, clock.SteadyNow());
    clock.Advance(std::chrono::seconds(1));
  }
  read->in_flight.GiveBack(clock.SteadyNow());
  clock.Advance(std::chrono::seconds(2));
  const std::string name = "apiserver_flowcontrol_read_vs_write_current_requests";
  const std::string text = metrics.Render();
  const auto has = [&](std::string_view suffix, std::string_view phase, std::string_view kind,
                       std::string_view rest) {
    EXPECT_THAT(text, HasSubstr(name + std::string(suffix) + "{phase=\"" + std::string(phase) +
                                "\",request_kind=\"" + std::string(kind) + "\"" + std::string(rest) + "\n"));
  };
  has("_bucket", "executing", "readOnly", ",le=\"0\"} 2000000000");
  has("_bucket", "executing", "readOnly", ",le=\"0.1\"} 3000000000");
  has("_sum", "executing", "readOnly", "} 1e+08");
  has("_bucket", "waiting", "mutating", ",le=\"0.2\"} 2000000000");
  has("_bucket", "waiting", "mutating", ",le=\"0.3\"} 3000000000");
  has("_bucket", "executing", "mutating", ",le=\"0\"} 3000000000");
  read = nullptr;
  EXPECT_THAT(metrics.Render(), HasSubstr("apiserver_current_inflight_requests{request_kind=\"readOnly\"} "))
      << "a slot is given back once";
}

TEST(InFlightTest, ZeroIsNoLimit) {
  base::Metrics metrics;
  InFlightFilter filter(0, 0, metrics);
  std::vector<IncomingRequestPtr> requests;
  for (int i = 0; i < 10; ++i) {
    requests.push_back(MakeIncoming("GET", "/api/v1/pods"));
    EXPECT_FALSE(filter.Apply(*requests.back(), requests.back()->received));
  }
}

// Says what it is told to, and keeps what it was asked.
class Asked final : public auth::Authorizer {
 public:
  explicit Asked(auth::Verdict verdict) : verdict_(std::move(verdict)) {}
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    verb = a.verb;
    fields = a.field_selector ? *a.field_selector : api::SelectorRequirements();
    labels = a.label_selector ? *a.label_selector : api::SelectorRequirements();
    co_return verdict_;
  }
  std::string verb;
  api::SelectorRequirements fields, labels;

 private:
  const auth::Verdict verdict_;
};

std::optional<net::http::Response> Authorized(Asked& asked, std::string method, std::string_view target) {
  auto x = MakeIncoming(std::move(method), target);
  base::Metrics metrics;
  AuthorizationFilter filter(asked, metrics);
  return base::SyncWait(filter.Apply(*x));
}

TEST(AuthorizationTest, WhatCannotBeFoundOutIsAServerError) {
  Asked unsure({auth::Decision::kNoOpinion, "because", "no connection <b>"});
  auto refused = Authorized(unsure, "GET", "/api/v1/pods?limit=1");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 500);
  EXPECT_EQ(testing::ReadBody(*refused),
            "Internal Server Error: \"/api/v1/pods?limit=1\": no connection &lt;b&gt;\n");
  Asked allowing({auth::Decision::kAllow, "", "no connection"});
  EXPECT_FALSE(Authorized(allowing, "GET", "/api/v1/pods"));
}

TEST(AuthorizationTest, SelectorsOfWhatIsSelectedAreAskedToo) {
  Asked asked({auth::Decision::kAllow, ""});
  Authorized(asked, "DELETE",
             "/api/v1/namespaces/x/pods?fieldSelector=spec.nodeName%3Dn&labelSelector=a%20in%20(b)");
  EXPECT_EQ(asked.verb, "deletecollection");
  const std::vector<api::SelectorRequirement> fields = {{"spec.nodeName", api::SelectorOperator::kIn, {"n"}}};
  EXPECT_EQ(asked.fields.requirements, fields);
  const std::vector<api::SelectorRequirement> labels = {{"a", api::SelectorOperator::kIn, {"b"}}};
  EXPECT_EQ(asked.labels.requirements, labels);
  Authorized(asked, "GET", "/api/v1/pods?labelSelector=a%20in");
  EXPECT_TRUE(asked.labels.requirements.empty());
  EXPECT_NE(asked.labels.error, "");
  for (const char* path :
       {"/api/v1/namespaces/x/pods/p?fieldSelector=a%3Db", "/api/v1/watch/pods?fieldSelector=a%3Db"}) {
    Authorized(asked, "GET", path);
    EXPECT_TRUE(asked.fields.requirements.empty()) << path;
  }
}

class ImpersonationTest : public ::testing::Test {
 protected:
  std::optional<net::http::Response> Apply(IncomingRequest& x) {
    const auto authorizer = auth::MastersFirst(std::make_unique<auth::rbac::RbacAuthorizer>());
    ImpersonationFilter filter(*authorizer);
    return base::SyncWait(filter.Apply(x));
  }
};

// Allows what the test says and writes down what it was asked: "verb group/resource/subresource ns/name".
class ScriptedAuthorizer final : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    std::string text(a.verb);
    const auto add = [&](std::string_view separator, std::string_view part) {
      if (!part.empty()) text.append(separator).append(part);
    };
    add(" ", a.group);
    add("/", a.resource_request ? a.resource : a.path);
    add("/", a.subresource);
    add(" ", a.ns);
    add(" ", a.name);
    asked.push_back(text);
    extra = a.user->extra;
    co_return auth::Verdict{allow(text) ? auth::Decision::kAllow : auth::Decision::kNoOpinion, ""};
  }
  std::function<bool(std::string_view)> allow;
  std::vector<std::string> asked;
  std::map<std::string, std::vector<std::string>> extra;  // of the last user that it was asked about
};

TEST_F(ImpersonationTest, WithoutHeadersTheUserStays) {
  auto x = MakeIncoming("GET", "/api");
  EXPECT_FALSE(Apply(*x));
  EXPECT_EQ(x->user, kAnn);
}

TEST_F(ImpersonationTest, AnAdminBecomesWhomTheHeadersName) {
  auto x = MakeIncoming("GET", "/api", kAdmin);
  x->request.headers.Add("impersonate-user", "bob");
  x->request.headers.Add("impersonate-group", "dev");
  x->request.headers.Add("impersonate-extra-acme.com%2Fproject", "p1");
  x->request.headers.Add("impersonate-uid", "42");
  EXPECT_FALSE(Apply(*x));
  EXPECT_EQ(x->user->name, "bob");
  EXPECT_EQ(x->user->uid, "42");
  EXPECT_THAT(x->user->groups, ElementsAre("dev", "system:authenticated"));
  EXPECT_THAT(x->user->extra.at("acme.com/project"), ElementsAre("p1"));
  EXPECT_TRUE(x->request.headers.empty());
}

TEST_F(ImpersonationTest, AServiceAccountBringsItsGroups) {
  auto x = MakeIncoming("GET", "/api", kAdmin);
  x->request.headers.Add("impersonate-user", "system:serviceaccount:ns1:sa1");
  EXPECT_FALSE(Apply(*x));
  EXPECT_THAT(x->user->groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns1", "system:authenticated"));
}

TEST_F(ImpersonationTest, OthersMayNot) {
  auto x = MakeIncoming("GET", "/api");
  x->request.headers.Add("impersonate-user", "admin");
  auto refused = Apply(*x);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(testing::ReadBody(*refused),
              HasSubstr(R"(forbidden: User \"ann\" cannot impersonate-on:user-info:get path \"/api\")"));
  EXPECT_EQ(x->user, kAnn);
}

TEST_F(ImpersonationTest, GroupsWithoutAUserAreABadRequest) {
  auto x = MakeIncoming("GET", "/api", kAdmin);
  x->request.headers.Add("impersonate-group", "dev");
  EXPECT_EQ(Apply(*x)->status, 400);
}

TEST_F(ImpersonationTest, LegacyImpersonationAsksInUpstreamsOrder) {
  ScriptedAuthorizer authorizer;
  authorizer.allow = [](std::string_view asked) {
    return asked.starts_with("impersonate ") || asked.starts_with("impersonate/");
  };
  ImpersonationFilter filter(authorizer);
  auto x = MakeIncoming("GET", "/api/v1/namespaces/demo/pods");
  x->request.headers.Add("impersonate-extra-scope", "a");
  x->request.headers.Add("impersonate-group", "system:masters");
  x->request.headers.Add("impersonate-group", "dev");
  x->request.headers.Add("impersonate-uid", "7");
  x->request.headers.Add("impersonate-user", "bob");
  EXPECT_FALSE(base::SyncWait(filter.Apply(*x)));
  EXPECT_EQ(x->user->name, "bob");
  EXPECT_THAT(authorizer.asked,
              ElementsAre("impersonate-on:user-info:list/pods demo", "impersonate/users bob",
                          "impersonate authentication.k8s.io/uids 7", "impersonate/groups system:masters",
                          "impersonate/groups dev", "impersonate authentication.k8s.io/userextras/scope a"));
}

TEST_F(ImpersonationTest, AConstrainedUserNeedsTheRequestAndEachValue) {
  ScriptedAuthorizer authorizer;
  authorizer.allow = [](std::string_view asked) {
    return asked == "impersonate-on:user-info:list/pods demo" ||
           asked.starts_with("impersonate:user-info authentication.k8s.io/");
  };
  ImpersonationFilter filter(authorizer);
  const auto become = [&](std::string_view target, std::vector<std::string> groups) {
    auto x = MakeIncoming("GET", target);
    x->request.headers.Add("impersonate-user", "bob");
    for (const std::string& group : groups) x->request.headers.Add("impersonate-group", group);
    auto refused = base::SyncWait(filter.Apply(*x));
    return refused ? testing::ReadBody(*refused) : x->user->name;
  };
  EXPECT_EQ(become("/api/v1/namespaces/demo/pods", {"dev"}), "bob");
  EXPECT_THAT(become("/api/v1/namespaces/demo/secrets", {}),
              HasSubstr("cannot impersonate-on:user-info:list resource \\\"secrets\\\""));
  EXPECT_THAT(become("/api/v1/namespaces/demo/pods", {"system:masters"}),
              HasSubstr("impersonating the system:masters group is not allowed"));
  EXPECT_THAT(become("/api/v1/namespaces/demo/pods", {""}),
              HasSubstr("impersonating the empty string group is not allowed"));
  authorizer.asked.clear();
  EXPECT_EQ(become("/api/v1/namespaces/demo/pods", {"a", "b", "c", "d"}), "bob");
  EXPECT_EQ(authorizer.asked.back(), "impersonate:user-info authentication.k8s.io/groups *")
      << "many are asked for at once";
}

TEST_F(ImpersonationTest, AServiceAccountMayBeTheNodeItRunsOn) {
  ScriptedAuthorizer authorizer;
  authorizer.allow = [](std::string_view asked) { return asked.find("associated-node") != asked.npos; };
  ImpersonationFilter filter(authorizer);
  auth::User agent{.name = "system:serviceaccount:kube-system:agent",
                   .extra = {{"authentication.kubernetes.io/node-name", {"n1"}}}};
  const auto become = [&](const std::string& name) {
    auto x = MakeIncoming("GET", "/api/v1/nodes/n1", std::make_shared<const auth::User>(agent));
    x->request.headers.Add("impersonate-user", name);
    const bool refused = base::SyncWait(filter.Apply(*x)).has_value();
    return refused ? auth::User() : *x->user;
  };
  const auth::User node = become("system:node:n1");
  EXPECT_EQ(node.name, "system:node:n1");
  EXPECT_THAT(node.groups, ElementsAre("system:nodes", "system:authenticated"));
  EXPECT_THAT(authorizer.asked, ElementsAre("impersonate-on:associated-node:get/nodes n1",
                                            "impersonate:associated-node authentication.k8s.io/nodes *"));
  EXPECT_THAT(authorizer.extra.at("authentication.kubernetes.io/associated-node-keys"),
              ElementsAre("authentication.kubernetes.io/node-name"));
  EXPECT_EQ(become("system:node:n2").name, "") << "another node";
  agent.extra.clear();
  EXPECT_EQ(become("system:node:n1").name, "") << "a token that names no node";
}

TEST_F(ImpersonationTest, NodesAndServiceAccountsHaveModesOfTheirOwn) {
  ScriptedAuthorizer authorizer;
  ImpersonationFilter filter(authorizer);
  const auto become = [&](const std::string& name, std::string_view mode) {
    authorizer.asked.clear();
    authorizer.allow = [mode](std::string_view asked) { return asked.find(mode) != asked.npos; };
    auto x = MakeIncoming("GET", "/api");
    x->request.headers.Add("impersonate-user", name);
    return !base::SyncWait(filter.Apply(*x)) && x->user->name == name;
  };
  EXPECT_TRUE(become("system:node:n1", "arbitrary-node"));
  EXPECT_EQ(authorizer.asked.back(), "impersonate:arbitrary-node authentication.k8s.io/nodes n1");
  EXPECT_TRUE(become("system:serviceaccount:a:b", ":serviceaccount"));
  EXPECT_EQ(authorizer.asked.back(), "impersonate:serviceaccount authentication.k8s.io/serviceaccounts a b");
  EXPECT_FALSE(become("system:node:n1", "user-info"));
  EXPECT_FALSE(become("system:serviceaccount:a:b", "user-info"));
  EXPECT_TRUE(become("system:node:", "user-info")) << "no node has that name";
}

TEST_F(ImpersonationTest, TheModeThatSucceededLastIsTriedFirst) {
  ScriptedAuthorizer authorizer;
  authorizer.allow = [](std::string_view asked) { return asked.starts_with("impersonate/"); };
  ImpersonationFilter filter(authorizer);
  for (const size_t checks : {2u, 1u}) {
    authorizer.asked.clear();
    auto x = MakeIncoming("GET", "/api");
    x->request.headers.Add("impersonate-user", "bob");
    EXPECT_FALSE(base::SyncWait(filter.Apply(*x)));
    EXPECT_EQ(authorizer.asked.size(), checks);
  }
}

class RequestMetricsTest : public ::testing::Test {
 protected:
  void Finish(std::string method, std::string_view target, int code) {
    auto x = MakeIncoming(std::move(method), target);
    filter_.Finished(*x, code, std::chrono::milliseconds(30), 2000);
  }
  base::Metrics metrics_;
  RequestMetrics filter_{metrics_, [](const endpoints::RequestInfo& info) {
                           return info.resource == "pods" || info.path == "/healthz";
                         }};
};

TEST_F(RequestMetricsTest, RequestsAreCountedUnderUpstreamsLabels) {
  Finish("GET", "/api/v1/namespaces/a/pods", 200);
  Finish("GET", "/api/v1/namespaces/b/pods", 200);
  Finish("POST", "/api/v1/namespaces/b/pods?dryRun=All", 201);
  Finish("GET", "/healthz", 200);
  const std::string text = metrics_.Render();
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="namespace",subresource="",verb="LIST",version="v1"} 2)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(apiserver_request_total{code="201",component="apiserver",dry_run="All",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} 1)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""} 1)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(resource="pods",scope="namespace",subresource="",verb="LIST",version="v1",le="0.025"} 0)"));
  EXPECT_THAT(
      text,
      HasSubstr(R"(resource="pods",scope="namespace",subresource="",verb="LIST",version="v1",le="0.05"} 2)"));
  EXPECT_THAT(text, HasSubstr("apiserver_response_sizes_sum"));
}

TEST_F(RequestMetricsTest, VerbsAreToldByMethodScopeAndSubresource) {
  Finish("HEAD", "/api/v1/namespaces/a/pods/p", 200);
  Finish("DELETE", "/api/v1/namespaces/a/pods", 200);
  Finish("GET", "/api/v1/namespaces/a/pods/p/log", 200);
  Finish("POST", "/api/v1/namespaces/a/pods?dryRun=Some", 400);
  const std::string text = metrics_.Render();
  EXPECT_THAT(text, HasSubstr(R"(scope="resource",subresource="",verb="GET",version="v1"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(scope="namespace",subresource="",verb="DELETE",version="v1"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(scope="resource",subresource="log",verb="CONNECT",version="v1"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(code="400",component="apiserver",dry_run="invalid")"));
}

TEST_F(RequestMetricsTest, WebhooksAndQueuesDoNotCountAgainstTheObjective) {
  auto x = MakeIncoming("POST", "/api/v1/namespaces/a/pods");
  x->notes.mutating_webhooks = std::chrono::seconds(2);
  x->notes.validating_webhooks = std::chrono::seconds(1);
  x->notes.queued = std::chrono::milliseconds(500);
  filter_.Finished(*x, 201, std::chrono::seconds(4), 0);
  const std::string text = metrics_.Render();
  constexpr std::string_view kLabels =
      R"(component="apiserver",group="",resource="pods",scope="resource",subresource="",verb="POST",version="v1"} )";
  EXPECT_THAT(text,
              HasSubstr("apiserver_request_sli_duration_seconds_sum{" + std::string(kLabels) + "0.5\n"));
  EXPECT_EQ(text.find(R"(apiserver_request_sli_duration_seconds_bucket{le="0.025")"), std::string::npos);
}

TEST_F(RequestMetricsTest, DryRunsAreNoMatterOfTheObjective) {
  Finish("POST", "/api/v1/namespaces/a/pods?dryRun=All", 201);
  EXPECT_EQ(metrics_.Render().find("apiserver_request_sli_duration_seconds"), std::string::npos);
}

TEST_F(RequestMetricsTest, WhoAsksForWhatIsDeprecatedIsSeen) {
  auto x = MakeIncoming("GET", "/api/v1/namespaces/a/pods");
  x->notes.deprecated = true;
  x->notes.removed_release = "1.38";
  filter_.Finished(*x, 200, std::chrono::milliseconds(1), 0);
  EXPECT_THAT(
      metrics_.Render(),
      HasSubstr(
          R"(apiserver_requested_deprecated_apis{group="",removed_release="1.38",resource="pods",subresource="",version="v1"} 1)"));
}

TEST(RecentPeakTest, APeakIsToldForASecond) {
  using base::Clock;
  const auto at = [](int64_t ms) { return Clock::SteadyTime(std::chrono::milliseconds(ms)); };
  RecentPeak peak;
  EXPECT_EQ(peak.Read(2, at(10'000)), 2);
  peak.See(7, at(10'100));
  peak.See(3, at(10'200));
  EXPECT_EQ(peak.Read(1, at(10'900)), 7);
  EXPECT_EQ(peak.Read(1, at(11'500)), 7);
  peak.See(4, at(11'600));
  EXPECT_EQ(peak.Read(1, at(11'900)), 7);
  EXPECT_EQ(peak.Read(1, at(12'300)), 4);
  EXPECT_EQ(peak.Read(1, at(13'500)), 1);
}

TEST_F(RequestMetricsTest, WhatClientsMakeUpDoesNotBecomeALabel) {
  for (int i = 0; i < 50; ++i) Finish("GET", "/api/v1/madeup" + std::to_string(i), 404);
  Finish("BREW", "/nothing", 404);
  const std::string text = metrics_.Render();
  EXPECT_EQ(text.find("madeup"), std::string::npos);
  EXPECT_EQ(text.find("nothing"), std::string::npos);
  EXPECT_EQ(text.find("BREW"), std::string::npos);
  EXPECT_THAT(text, HasSubstr(R"(resource="",scope="",subresource="",verb="LIST",version=""} 50)"));
}

}  // namespace
}  // namespace keelson::server
