#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/chain.h"
#include "admission/testing/fakes.h"
#include "admission/webhooks/mutating_admission_webhook.h"
#include "admission/webhooks/validating_admission_webhook.h"
#include "api/codec/json.h"
#include "api/generated/core_v1.h"
#include "base/base64.h"
#include "base/testing/fake_occupancy.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::admission {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRegistration = "admissionregistration.k8s.io";
constexpr const char* kMaps = R"("rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],
  "resources":["configmaps"]}],"matchPolicy":"Equivalent","admissionReviewVersions":["v1"])";

std::string UidIn(const std::string& review) {
  constexpr std::string_view kUid = R"("uid":")";
  return review.substr(review.find(kUid) + kUid.size(), 36);
}

// Answers with what `respond` makes of a review, as the members of a response.
class FakeSender final : public WebhookSender {
 public:
  base::Task<base::Result<std::string, SendFailure>> Post(const WebhookTarget& target, base::Slice sent,
                                                          std::chrono::nanoseconds timeout, size_t,
                                                          base::SpanParent) override {
    urls.push_back(target.url);
    timeouts.push_back(timeout);
    const std::string review(sent.view());
    reviews.push_back(review);
    if (failure) co_return base::Err(*failure);
    co_return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":")" +
        UidIn(review) + "\"," + respond(target.url) + "}}";
  }

  std::function<std::string(const std::string& url)> respond = [](const std::string&) {
    return R"("allowed":true)";
  };
  std::optional<SendFailure> failure;
  std::vector<std::string> urls, reviews;
  std::vector<std::chrono::nanoseconds> timeouts;
};

std::string PatchAnswer(std::string_view patch) {
  return R"("allowed":true,"patchType":"JSONPatch","patch":")" + base::Base64(patch) + "\"";
}

class WebhooksTest : public ::testing::Test {
 protected:
  void Add(const std::string& kind, const std::string& configuration, const std::string& hook,
           const std::string& more = R"(,"sideEffects":"None")") {
    objects_.Add(kRegistration, kind + "webhookconfigurations",
                 R"({"metadata":{"name":")" + configuration + R"(","uid":")" + configuration +
                     R"(","resourceVersion":"1"},"webhooks":[{"name":")" + hook +
                     R"(","clientConfig":{"url":"https://)" + hook + R"("},)" + kMaps + more + "}]}");
  }
  WebhookParts Parts() { return {.objects = &objects_, .sender = &sender_, .clock = &clock_}; }
  std::string Judge(const ValidatingAdmissionWebhook& plugin) {
    Write write("", "configmaps", R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
    return Refusal(write.Validate(plugin));
  }
  std::string Judge() { return Judge(ValidatingAdmissionWebhook(Parts())); }

  FakeObjects objects_;
  FakeSender sender_;
  base::FakeClock clock_;
};

TEST_F(WebhooksTest, NobodyIsAskedWithoutAConfiguration) {
  EXPECT_EQ(Judge(), "");
  EXPECT_TRUE(sender_.reviews.empty());
}

TEST_F(WebhooksTest, TheReviewShowsTheObjectTheUserAndTheOptions) {
  Add("validating", "c", "a.example.com", R"(,"timeoutSeconds":3,"sideEffects":"None")");
  const ValidatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  const auth::User user{.name = "ann", .groups = {"devs"}};
  Attributes request = write.request();
  request.user = &user;
  request.dry_run = true;
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  ASSERT_EQ(sender_.reviews.size(), 1u);
  EXPECT_THAT(sender_.timeouts, ElementsAre(seconds(3)));
  std::string review = sender_.reviews[0];
  review.replace(review.find(UidIn(review)), 36, "UID");
  EXPECT_EQ(
      review,
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"UID",)"
      R"("kind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("resource":{"group":"","version":"v1","resource":"configmaps"},)"
      R"("requestKind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("requestResource":{"group":"","version":"v1","resource":"configmaps"},"name":"m",)"
      R"("operation":"CREATE","userInfo":{"username":"ann","groups":["devs"]},)"
      R"("object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"}},"oldObject":null,)"
      R"("dryRun":true,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}}})"
      "\n");
}

TEST_F(WebhooksTest, ADenialIsTheAnswer) {
  Add("validating", "c", "a.example.com");
  sender_.respond = [](const std::string&) {
    return R"("allowed":false,"status":{"message":"no","code":418})";
  };
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  const Verdict verdict = write.Validate(ValidatingAdmissionWebhook(Parts()));
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, 418);
  EXPECT_EQ(verdict.error().message, R"(admission webhook "a.example.com" denied the request: no)");
}

TEST_F(WebhooksTest, TheFailurePolicyDecidesWhenNobodyAnswers) {
  Add("validating", "c", "a.example.com");
  sender_.failure = {"gone"};
  EXPECT_EQ(
      Judge(),
      R"(Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: gone)");
}

TEST_F(WebhooksTest, IgnoredFailuresLetTheRequestPass) {
  Add("validating", "c", "a.example.com", R"(,"failurePolicy":"Ignore","sideEffects":"None")");
  sender_.failure = {"gone"};
  EXPECT_EQ(Judge(), "");
}

TEST_F(WebhooksTest, AnAnswerToAnotherReviewIsAFailure) {
  Add("validating", "c", "a.example.com");
  sender_.respond = [](const std::string&) { return R"("uid":"other","allowed":true)"; };
  EXPECT_THAT(Judge(), HasSubstr("received invalid webhook response: expected response.uid="));
}

TEST_F(WebhooksTest, ConditionsAreEvaluatedBeforeAnybodyIsAsked) {
  Add("validating", "c", "a.example.com",
      R"(,"matchConditions":[{"name":"x","expression":"object.data.a == '2'"}])");
  EXPECT_EQ(Judge(), "");
  EXPECT_TRUE(sender_.reviews.empty());
}

TEST_F(WebhooksTest, ABrokenConditionRefusesTheRequest) {
  Add("validating", "c", "a.example.com",
      R"(,"matchConditions":[{"name":"x","expression":"object.data.b == '2'"}])");
  EXPECT_THAT(
      Judge(),
      HasSubstr("configmaps \"m\" is forbidden: expression 'object.data.b == '2'' resulted in error"));
}

TEST_F(WebhooksTest, AWebhookWithSideEffectsDoesNotSeeDryRuns) {
  Add("validating", "c", "a.example.com", R"(,"sideEffects":"Some")");
  const ValidatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  Attributes request = write.request();
  request.dry_run = true;
  const Verdict verdict = base::SyncWait(plugin.Validate(request));
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, 400);
  EXPECT_EQ(verdict.error().message, R"(admission webhook "a.example.com" does not support dry run)");
}

TEST_F(WebhooksTest, ConfigurationsThemselvesAreExempt) {
  const ValidatingAdmissionWebhook plugin(Parts());
  EXPECT_FALSE(plugin.ConcernWith(Resource(kRegistration, "validatingwebhookconfigurations"), "").validates);
  EXPECT_FALSE(plugin.ConcernWith(Resource(kRegistration, "mutatingadmissionpolicybindings"), "").validates);
  EXPECT_TRUE(plugin.ConcernWith(Resource("authorization.k8s.io", "subjectaccessreviews"), "").validates);
}

TEST_F(WebhooksTest, APatchChangesTheObject) {
  Add("mutating", "c", "a.example.com");
  sender_.respond = [](const std::string&) {
    return PatchAnswer(R"([{"op":"add","path":"/data/b","value":"2"}])");
  };
  Write write("", "configmaps", R"({"metadata":{"name":"m"},"data":{"a":"1"}})");
  EXPECT_EQ(Refusal(write.Mutate(MutatingAdmissionWebhook(Parts()))), "");
  base::BufferBuilder now;
  api::json::Encode(*write.object().root(), now);
  EXPECT_THAT(std::string(now.view()), HasSubstr(R"("data":{"a":"1","b":"2"})"));
}

TEST_F(WebhooksTest, OnlyThoseThatWantItAreAskedAgain) {
  Add("mutating", "a", "a.example.com", R"(,"reinvocationPolicy":"IfNeeded","sideEffects":"None")");
  Add("mutating", "b", "b.example.com");
  sender_.respond = [](const std::string& url) {
    return url.find("b.example") == std::string::npos
               ? R"("allowed":true)"
               : PatchAnswer(R"([{"op":"add","path":"/data","value":{"k":"v"}}])");
  };
  const MutatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  EXPECT_EQ(Refusal(base::SyncWait(Mutate(Chain::Plugins{.asked = {{&plugin}}}, write.request()))), "");
  EXPECT_THAT(sender_.urls,
              ElementsAre("https://a.example.com", "https://b.example.com", "https://a.example.com"));
}

TEST_F(WebhooksTest, AnObjectThatGoesCannotBeChanged) {
  Add("mutating", "c", "a.example.com");
  sender_.respond = [](const std::string&) { return PatchAnswer(R"([{"op":"remove","path":"/data"}])"); };
  const MutatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  Attributes request = write.request();
  request.operation = Operation::kDelete;
  request.old_object = std::exchange(request.object, nullptr);
  EXPECT_EQ(
      Refusal(base::SyncWait(plugin.Mutate(request))),
      R"(Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which )"
      "is not supported for this operation");
}

TEST_F(WebhooksTest, EquivalentVersionsAreConverted) {
  objects_.Add(
      kRegistration, "validatingwebhookconfigurations",
      R"({"metadata":{"name":"c"},"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://a"},
                  "rules":[{"apiGroups":["autoscaling"],"apiVersions":["v1"],"operations":["*"],
                  "resources":["horizontalpodautoscalers"]}],"matchPolicy":"Equivalent","sideEffects":"None",
                  "admissionReviewVersions":["v1"]}]})");
  const api::ResourceDesc& v2 = *api::FindResource("autoscaling", "v2", "horizontalpodautoscalers");
  api::Doc object = api::testing::DocFromJson(
      R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},"metrics":[{
         "type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}]}})",
      *v2.type);
  const ValidatingAdmissionWebhook plugin(Parts());
  const Attributes request{.resource = &v2, .name = "h", .object = &object};
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  ASSERT_EQ(sender_.reviews.size(), 1u);
  EXPECT_THAT(sender_.reviews[0], HasSubstr(R"("kind":{"group":"autoscaling","version":"v1")"));
  EXPECT_THAT(sender_.reviews[0], HasSubstr(R"("requestKind":{"group":"autoscaling","version":"v2")"));
  EXPECT_THAT(sender_.reviews[0], HasSubstr(R"("targetCPUUtilizationPercentage":70)"));
}

TEST_F(WebhooksTest, LeasesPassWhateverBecomesOfTheWebhook) {
  objects_.Add(
      kRegistration, "validatingwebhookconfigurations",
      R"({"metadata":{"name":"c"},"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://a"},
                  "rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}],
                  "sideEffects":"None","admissionReviewVersions":["v1"]}]})");
  sender_.failure = {"gone"};
  Write lease("coordination.k8s.io", "leases", R"({"metadata":{"name":"l"}})");
  std::vector<std::string> warnings;
  Attributes request = lease.request();
  request.warnings = &warnings;
  const ValidatingAdmissionWebhook plugin(Parts());
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("failed calling webhook \"a.example.com\"")));
  EXPECT_THAT(sender_.timeouts, ElementsAre(seconds(2)));
}

TEST_F(WebhooksTest, AWebhookThatKeepsTimingOutIsSparedUntilItAnswers) {
  Add("validating", "c", "a.example.com");
  const ValidatingAdmissionWebhook plugin(Parts());
  sender_.failure = {"context deadline exceeded", 503, /*timed_out=*/true};
  for (int i = 0; i < Breaker::kTimeouts; ++i) EXPECT_THAT(Judge(plugin), HasSubstr("deadline"));
  EXPECT_THAT(Judge(plugin), HasSubstr("it keeps timing out"));
  EXPECT_EQ(sender_.reviews.size(), static_cast<size_t>(Breaker::kTimeouts));

  clock_.Advance(Breaker::kFirstPause);
  EXPECT_THAT(Judge(plugin), HasSubstr("deadline"));  // the probe
  EXPECT_THAT(Judge(plugin), HasSubstr("it keeps timing out"));
  clock_.Advance(Breaker::kFirstPause);
  EXPECT_THAT(Judge(plugin), HasSubstr("it keeps timing out"));  // the pause has doubled
  clock_.Advance(Breaker::kFirstPause);
  sender_.failure.reset();
  EXPECT_EQ(Judge(plugin), "");
  EXPECT_EQ(Judge(plugin), "");
}

TEST_F(WebhooksTest, TheDeadlineOfTheRequestShortensTheTimeout) {
  Add("validating", "c", "a.example.com", R"(,"timeoutSeconds":10,"sideEffects":"None")");
  const ValidatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  base::FakeOccupancy occupancy;
  Attributes request = write.request();
  request.occupancy = &occupancy;
  const auto ask = [&](std::chrono::nanoseconds left) {
    occupancy.deadline = clock_.SteadyNow() + left;
    return Refusal(base::SyncWait(plugin.Validate(request)));
  };
  EXPECT_EQ(ask(seconds(60)), "");
  EXPECT_EQ(ask(std::chrono::milliseconds(2500)), "");
  occupancy.deadline = base::Clock::SteadyTime::max();
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  EXPECT_THAT(sender_.timeouts, ElementsAre(seconds(10), std::chrono::milliseconds(2500), seconds(10)));
}

TEST_F(WebhooksTest, ARequestThatIsOutOfTimeEndsWhateverTheFailurePolicyIs) {
  for (const std::string policy : {"Fail", "Ignore"}) {
    Add("validating", "c", "a.example.com", R"(,"failurePolicy":")" + policy + R"(","sideEffects":"None")");
    const ValidatingAdmissionWebhook plugin(Parts());
    Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
    base::FakeOccupancy occupancy;
    Attributes request = write.request();
    request.occupancy = &occupancy;
    occupancy.deadline = clock_.SteadyNow() + seconds(1);
    sender_.failure = {"context deadline exceeded", 503, /*timed_out=*/true};
    // It is no fault of the webhook's, so it is asked however often that happens.
    for (int i = 0; i < 2 * Breaker::kTimeouts; ++i) {
      const Verdict verdict = base::SyncWait(plugin.Validate(request));
      ASSERT_FALSE(verdict) << policy;
      EXPECT_EQ(verdict.error().code, 504);
      EXPECT_EQ(verdict.error().message,
                "Timeout: request did not complete within requested timeout - context deadline exceeded");
    }
    EXPECT_EQ(sender_.reviews.size(), static_cast<size_t>(2 * Breaker::kTimeouts));

    occupancy.deadline = clock_.SteadyNow();
    EXPECT_THAT(Refusal(base::SyncWait(plugin.Validate(request))), HasSubstr("did not complete"));
    EXPECT_EQ(sender_.reviews.size(), static_cast<size_t>(2 * Breaker::kTimeouts)) << "nobody is asked";
    sender_ = {};
  }
}

TEST_F(WebhooksTest, ARequestGivesItsPlaceBackWhileItWaits) {
  Add("validating", "c", "a.example.com");
  Add("validating", "d", "b.example.com");
  const ValidatingAdmissionWebhook plugin(Parts());
  Write write("", "configmaps", R"({"metadata":{"name":"m"}})");
  base::FakeOccupancy occupancy;
  Attributes request = write.request();
  request.occupancy = &occupancy;
  sender_.respond = [&](const std::string&) {
    occupancy.moves += "asked ";
    return R"("allowed":true)";
  };
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  EXPECT_EQ(occupancy.moves, "out asked in out asked in ");
  {
    const base::Absence another(&occupancy);
    occupancy.moves.clear();
    EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
    EXPECT_EQ(occupancy.moves, "asked asked ") << "it has none already";
  }
  EXPECT_EQ(occupancy.moves, "asked asked in ");
}

TEST_F(WebhooksTest, EventsTellWhenAWebhookIsNotAskedAndWhenItIsAgain) {
  Add("validating", "c", "a.example.com");
  objects_.At("", "events");
  controllers::ManualLoop loop;
  client::EventRecorder events(objects_, loop, "server", clock_);
  WebhookParts parts = Parts();
  parts.events = &events;
  const ValidatingAdmissionWebhook plugin(parts);
  const auto told = [&] {
    loop.Run();
    std::vector<std::string> texts;
    const auto written = base::SyncWait(objects_.List({"", "events"}, ""));
    for (const api::Doc& doc : **written) {
      const api::core_v1::EventView event(doc);
      EXPECT_EQ(event.involved_object().kind(), "ValidatingWebhookConfiguration");
      EXPECT_EQ(event.involved_object().name(), "c");
      texts.push_back(std::string(event.type()) + " " + std::string(event.message()));
    }
    return texts;
  };
  sender_.failure = {"context deadline exceeded", 503, /*timed_out=*/true};
  for (int i = 0; i < Breaker::kTimeouts; ++i) Judge(plugin);
  const std::string opened =
      R"(Warning Webhook "a.example.com" timed out 5 times in a row and is not asked until it answers again; )"
      "meanwhile its failurePolicy decides";
  EXPECT_THAT(told(), ElementsAre(opened));
  clock_.Advance(Breaker::kFirstPause);
  Judge(plugin);  // the probe fails: nothing is new
  EXPECT_THAT(told(), ElementsAre(opened));
  clock_.Advance(2 * Breaker::kFirstPause);
  sender_.failure.reset();
  EXPECT_EQ(Judge(plugin), "");
  EXPECT_THAT(told(),
              ElementsAre(opened, R"(Normal Webhook "a.example.com" answers again, and is asked as before)"));
}

TEST_F(WebhooksTest, NobodyIsAskedAboutEventsOfTheServerItself) {
  objects_.Add(
      kRegistration, "validatingwebhookconfigurations",
      R"({"metadata":{"name":"c"},"webhooks":[{"name":"a.example.com","clientConfig":{"url":"https://a"},
                  "rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}],
                  "sideEffects":"None","admissionReviewVersions":["v1"]}]})");
  sender_.failure = {"gone"};
  const ValidatingAdmissionWebhook plugin(Parts());
  Write event("", "events", R"({"metadata":{"name":"e"}})");
  Attributes request = event.request();
  const auth::User server{.name = "system:apiserver"}, other{.name = "ann"};
  request.user = &server;
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(request))), "");
  request.user = &other;
  EXPECT_THAT(Refusal(base::SyncWait(plugin.Validate(request))), HasSubstr("gone"));
}

TEST(ReviewTest, WhatAnAnswerMustHave) {
  const auto why = [](std::string_view body, std::string_view version = "v1", bool mutating = false) {
    const auto answer = ReadAnswer(body, version, "u", mutating);
    return answer ? "" : answer.error().message;
  };
  const std::string v1 = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1")";
  EXPECT_EQ(why(v1 + R"(,"response":{"uid":"u","allowed":true}})"), "");
  EXPECT_EQ(why(v1 + "}"), "webhook response was absent");
  EXPECT_EQ(why(R"({"response":{"uid":"u"}})"),
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=");
  EXPECT_EQ(why(R"({"response":{"uid":"x"}})", "v1beta1"), "");
  EXPECT_EQ(why(v1 + R"(,"response":{"uid":"u","patch":"W10="}})"),
            "validating webhook may not return response.patch");
  EXPECT_EQ(why(v1 + R"(,"response":{"uid":"u","patch":"W10="}})", "v1", true),
            "webhook returned response.patch but not response.patchType");
  EXPECT_EQ(why(v1 + R"(,"response":{"uid":"u","patchType":"JSONPatch"}})", "v1", true),
            "webhook returned response.patchType but not response.patch");
  EXPECT_EQ(why(v1 + "}", "v1beta1"),
            "converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion");
}

}  // namespace
}  // namespace keelson::admission
