#include "auth/authz/webhook_authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authz/authorizers.h"
#include "auth/testing/fake_remote.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAccessUrl = "https://hook.example/authz?timeout=30s";  // as it is asked

class WebhookAuthorizerTest : public ::testing::Test {
 protected:
  WebhookAuthorizerTest() { options_.clock = &clock_; }

  void Start() {
    auto made = WebhookAuthorizer::Make(options_, {.server_url = "https://hook.example/authz"},
                                        remote_.Maker(), metrics_);
    ASSERT_TRUE(made) << made.error();
    webhook_ = *std::move(made);
  }
  void Answers(const std::string& status) {
    remote_.Set(kAccessUrl, R"({"apiVersion":"authorization.k8s.io/)" + options_.version +
                                R"(","kind":"SubjectAccessReview","status":)" + status + "}");
  }
  void Conditions(std::vector<std::string> expressions) {
    api::field::ErrorList errors;
    options_.conditions = MatchConditions::Compile(expressions, api::field::Path("c"), errors);
    ASSERT_TRUE(errors.empty()) << errors.Aggregate();
  }
  Verdict Ask(const Attributes& attributes) { return base::SyncWait(webhook_->Authorize(attributes)); }
  Verdict Ask() { return Ask(attributes_); }
  size_t asked() const { return remote_.asked.size(); }

  const User ann_{.name = "ann", .uid = "7", .groups = {"dev", "ops"}, .extra = {{"a.com/x", {"1", "2"}}}};
  const Attributes attributes_{.user = &ann_,
                               .verb = "get",
                               .resource_request = true,
                               .group = "apps",
                               .version = "v1",
                               .resource = "deployments",
                               .subresource = "scale",
                               .ns = "demo",
                               .name = "web"};
  base::FakeClock clock_;
  base::Metrics metrics_;
  testing::FakeRemote remote_;
  WebhookAuthorizerOptions options_{.name = "hook", .version = "v1"};
  std::shared_ptr<WebhookAuthorizer> webhook_;
};

TEST_F(WebhookAuthorizerTest, AReviewHasAllThatIsKnownOfTheRequest) {
  Start();
  Answers(R"({"allowed":true,"reason":"because"})");
  const Verdict verdict = Ask();
  EXPECT_EQ(verdict.decision, Decision::kAllow);
  EXPECT_EQ(verdict.reason, "because");
  EXPECT_EQ(remote_.asked.front().method, "POST");
  EXPECT_EQ(remote_.asked.front().body,
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{)"
            R"("resourceAttributes":{"namespace":"demo","verb":"get","group":"apps","version":"v1",)"
            R"("resource":"deployments","subresource":"scale","name":"web"},)"
            R"("user":"ann","groups":["dev","ops"],"extra":{"a.com/x":["1","2"]},"uid":"7"},)"
            R"("status":{"allowed":false}})");
}

TEST_F(WebhookAuthorizerTest, TheOlderVersionNamesGroupsOtherwise) {
  options_.version = "v1beta1";
  Start();
  Answers(R"({"allowed":true})");
  EXPECT_EQ(Ask({.user = &ann_, .verb = "get", .path = "/healthz"}).decision, Decision::kAllow);
  EXPECT_EQ(remote_.asked.front().body,
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1beta1","metadata":{},)"
            R"("spec":{"nonResourceAttributes":{"path":"/healthz","verb":"get"},)"
            R"("user":"ann","group":["dev","ops"],"extra":{"a.com/x":["1","2"]},"uid":"7"},)"
            R"("status":{"allowed":false}})");
}

TEST_F(WebhookAuthorizerTest, SelectorsAreSentAsFarAsTheyCanBeWritten) {
  Start();
  Answers(R"({"allowed":true})");
  using Op = api::SelectorOperator;
  const api::SelectorRequirements fields{
      .requirements = {{"spec.nodeName", Op::kIn, {"n1"}}, {"metadata.name", Op::kNotIn, {"a"}}}};
  const api::SelectorRequirements labels{.requirements = {{"a", Op::kIn, {"x", "y"}},
                                                          {"b", Op::kDoesNotExist, {}},
                                                          {"c", Op::kGreaterThan, {"1"}}}};
  const api::SelectorRequirements only_order{.requirements = {{"c", Op::kLessThan, {"1"}}}};
  Attributes list{.user = nullptr, .verb = "list", .resource_request = true, .resource = "pods"};
  list.field_selector = &fields;
  list.label_selector = &labels;
  Ask(list);
  EXPECT_THAT(
      remote_.asked.back().body,
      HasSubstr(R"("fieldSelector":{"requirements":[{"key":"spec.nodeName","operator":"In","values":["n1"]},)"
                R"({"key":"metadata.name","operator":"NotIn","values":["a"]}]},)"
                R"("labelSelector":{"requirements":[{"key":"a","operator":"In","values":["x","y"]},)"
                R"({"key":"b","operator":"DoesNotExist"}]})"));
  list.field_selector = nullptr;
  list.label_selector = &only_order;
  Ask(list);
  EXPECT_THAT(remote_.asked.back().body,
              HasSubstr(R"("spec":{"resourceAttributes":{"verb":"list","resource":"pods"}},"status")"));
}

TEST_F(WebhookAuthorizerTest, AnswersAllowDenyOrHaveNoOpinion) {
  options_.unauthorized_ttl = options_.authorized_ttl = std::chrono::nanoseconds(0);
  Start();
  Answers(R"({"allowed":false,"denied":true,"reason":"never"})");
  EXPECT_EQ(Ask().decision, Decision::kDeny);
  EXPECT_EQ(Ask().reason, "never");
  Answers(R"({"allowed":false,"reason":"not here","evaluationError":"ignored"})");
  EXPECT_EQ(Ask().decision, Decision::kNoOpinion);
  EXPECT_EQ(Ask().reason, "not here");
  EXPECT_EQ(Ask().error, "");
  Answers(R"({"allowed":true,"denied":true})");
  EXPECT_EQ(Ask().decision, Decision::kDeny);
  EXPECT_EQ(Ask().error, "webhook subject access review returned both allow and deny response");
}

TEST_F(WebhookAuthorizerTest, AnswersOfAnotherVersionOrKindAreErrorsAndNamelessOnesAreTaken) {
  Start();
  remote_.Set(kAccessUrl, R"({"apiVersion":"authorization.k8s.io/v1beta1","kind":"SubjectAccessReview",)"
                          R"("status":{"allowed":true}})");
  EXPECT_EQ(Ask().error, "the answer is no SubjectAccessReview of authorization.k8s.io/v1");
  EXPECT_EQ(Ask().decision, Decision::kNoOpinion);
  remote_.Set(kAccessUrl, "<html>");
  EXPECT_THAT(Ask().error, HasSubstr("the answer is no SubjectAccessReview"));
  remote_.Set(kAccessUrl, R"({"status":{"allowed":true}})");
  EXPECT_EQ(Ask().decision, Decision::kAllow);
}

TEST_F(WebhookAuthorizerTest, AllowancesAndRefusalsAreKeptForTheirTime) {
  options_.authorized_ttl = std::chrono::seconds(10);
  options_.unauthorized_ttl = std::chrono::seconds(5);
  Start();
  Answers(R"({"allowed":true})");
  Ask();
  clock_.Advance(std::chrono::seconds(9));
  EXPECT_EQ(Ask().decision, Decision::kAllow);
  EXPECT_EQ(asked(), 1u);
  clock_.Advance(std::chrono::seconds(1));
  Answers(R"({"allowed":false})");
  EXPECT_EQ(Ask().decision, Decision::kNoOpinion);
  clock_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(Ask().decision, Decision::kNoOpinion);
  EXPECT_EQ(asked(), 2u);
  clock_.Advance(std::chrono::seconds(1));
  Ask();
  EXPECT_EQ(asked(), 3u);
}

TEST_F(WebhookAuthorizerTest, EverythingInTheReviewTellsAnswersApart) {
  Start();
  Answers(R"({"allowed":true})");
  Ask();
  Attributes other = attributes_;
  other.name = "other";
  Ask(other);
  User bob = ann_;
  bob.extra.clear();
  other = attributes_;
  other.user = &bob;
  Ask(other);
  EXPECT_EQ(asked(), 3u);
  Ask();
  EXPECT_EQ(asked(), 3u);
}

TEST_F(WebhookAuthorizerTest, AnswersToVeryLongRequestsAreNotKept) {
  Start();
  Answers(R"({"allowed":true})");
  const std::string path(9997, 'x');
  Attributes attributes{.user = &ann_, .verb = "get", .path = path};
  Ask(attributes);
  Ask(attributes);
  EXPECT_EQ(asked(), 2u) << "10,000 characters are too many";
  attributes.path.remove_suffix(1);
  Ask(attributes);
  Ask(attributes);
  EXPECT_EQ(asked(), 3u);
}

TEST_F(WebhookAuthorizerTest, FailuresAreNotKeptAndLeaveTheDecisionToOthersOrDeny) {
  Start();
  Verdict verdict = Ask();
  EXPECT_EQ(verdict.decision, Decision::kNoOpinion);
  EXPECT_THAT(verdict.error, HasSubstr("connection refused"));
  options_.on_error = Decision::kDeny;
  Start();
  verdict = Ask();
  EXPECT_EQ(verdict.decision, Decision::kDeny);
  EXPECT_THAT(verdict.error, HasSubstr("connection refused"));
  Answers(R"({"allowed":true})");
  EXPECT_EQ(Ask().decision, Decision::kAllow);
}

TEST_F(WebhookAuthorizerTest, AServerInTroubleIsAskedFiveTimes) {
  Start();
  remote_.Set(kAccessUrl, "oops", 500);
  EXPECT_EQ(Ask().error, "the webhook answers with status 500");
  EXPECT_EQ(asked(), 5u);
  remote_.Set(kAccessUrl, "oops", 403);
  EXPECT_EQ(Ask().error, "the webhook answers with status 403");
  EXPECT_EQ(asked(), 6u);
  const std::string text = metrics_.Render();
  EXPECT_THAT(
      text, HasSubstr(R"(apiserver_authorization_webhook_evaluations_total{name="hook",result="error"} 6)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(apiserver_authorization_webhook_evaluations_fail_open_total{name="hook",result="error"} 2)"));
}

TEST_F(WebhookAuthorizerTest, ConditionsDecideWhetherTheWebhookIsAsked) {
  Conditions({"request.resourceAttributes.namespace == 'demo'"});
  Start();
  Answers(R"({"allowed":true})");
  EXPECT_EQ(Ask().decision, Decision::kAllow);
  Attributes other = attributes_;
  other.ns = "kube-system";
  const Verdict excluded = Ask(other);
  EXPECT_EQ(excluded.decision, Decision::kNoOpinion);
  EXPECT_EQ(excluded.error, "");
  EXPECT_EQ(asked(), 1u);

  const Attributes path{.user = &ann_, .verb = "get", .path = "/healthz"};
  const Verdict failed = Ask(path);
  EXPECT_EQ(failed.decision, Decision::kNoOpinion);
  EXPECT_EQ(failed.error,
            "cel evaluation error: expression 'request.resourceAttributes.namespace == 'demo'' resulted in "
            "error: no such key: resourceAttributes");
  const std::string text = metrics_.Render();
  for (const char* line : {R"(_exclusions_total{type="Webhook",name="hook"} 1)",
                           R"(_evaluation_errors_total{type="Webhook",name="hook"} 1)",
                           R"(_evaluation_seconds_count{type="Webhook",name="hook"} 3)"})
    EXPECT_THAT(text, HasSubstr(std::string("apiserver_authorization_match_condition") + line));
}

TEST_F(WebhookAuthorizerTest, ConditionsThatFailDenyWhereFailuresDo) {
  options_.on_error = Decision::kDeny;
  Conditions({"request.resourceAttributes.namespace == 'demo'"});
  Start();
  EXPECT_EQ(Ask({.user = &ann_, .verb = "get", .path = "/healthz"}).decision, Decision::kDeny);
  EXPECT_EQ(asked(), 0u);
}

TEST_F(WebhookAuthorizerTest, RulesCannotBeTold) {
  Start();
  const Rules rules =
      base::SyncWait(UnionOf({{AlwaysAllow()}, {webhook_}, {webhook_}})->RulesFor(ann_, "demo"));
  EXPECT_EQ(rules.resources.size(), 1u);
  EXPECT_TRUE(rules.incomplete);
  EXPECT_EQ(rules.error, "webhook authorizer does not support user rule resolution");
}

TEST_F(WebhookAuthorizerTest, AVersionThatNobodySpeaksIsRefused) {
  options_.version = "v2";
  EXPECT_EQ(WebhookAuthorizer::Make(options_, {.server_url = "https://a"}, remote_.Maker(), metrics_).error(),
            R"(unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1")");
}

TEST_F(WebhookAuthorizerTest, AChainWaitsOnlyWhenItReachesTheWebhook) {
  Start();
  EXPECT_TRUE(UnionOf({{AlwaysAllow()}, {webhook_}})->AuthorizeNow(attributes_));
  EXPECT_FALSE(UnionOf({{AlwaysDeny()}, {webhook_}})->AuthorizeNow(attributes_));
  EXPECT_EQ(asked(), 0u);
}

}  // namespace
}  // namespace keelson::auth
