#include "auth/authz/authorizers.h"

#include <gtest/gtest.h>

#include "auth/forbidden.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

User Member(std::string name, std::vector<std::string> groups) {
  return {.name = std::move(name), .groups = std::move(groups)};
}
const User kAnonymous = Member("system:anonymous", {"system:unauthenticated"});
const User kAnn = Member("ann", {"system:authenticated"});
const User kAdmin = Member("admin", {"system:masters", "system:authenticated"});

TEST(ForbiddenMessageTest, SaysWhoCannotDoWhatWhere) {
  EXPECT_EQ(ForbiddenMessage(
                {.user = &kAnn, .verb = "list", .resource_request = true, .resource = "pods", .ns = "y"}, ""),
            "User \"ann\" cannot list resource \"pods\" in API group \"\" in the namespace \"y\"");
  EXPECT_EQ(ForbiddenMessage({.user = &kAnn,
                              .verb = "update",
                              .resource_request = true,
                              .group = "apps",
                              .resource = "deployments",
                              .subresource = "scale"},
                             "no"),
            "User \"ann\" cannot update resource \"deployments/scale\" in API group \"apps\" at the cluster "
            "scope: no");
  EXPECT_EQ(ForbiddenMessage({.user = &kAnonymous, .verb = "get", .path = "/a<b>\"&\n"}, ""),
            "User \"system:anonymous\" cannot get path \"/a&lt;b&gt;\\\"&amp;\\n\"");
}

TEST(AlwaysTest, AllowsOrDeniesEverything) {
  EXPECT_EQ(base::SyncWait(AlwaysAllow()->Authorize({})).decision, Decision::kAllow);
  EXPECT_NE(base::SyncWait(AlwaysDeny()->Authorize({.user = &kAdmin})).decision, Decision::kAllow);
}

TEST(MastersFirstTest, MastersAreAllowedWhatTheOthersAreDenied) {
  const auto authorizer = MastersFirst(AlwaysDeny());
  EXPECT_EQ(base::SyncWait(authorizer->Authorize({.user = &kAdmin})).decision, Decision::kAllow);
  const Verdict denied = base::SyncWait(authorizer->Authorize({.user = &kAnn}));
  EXPECT_NE(denied.decision, Decision::kAllow);
  EXPECT_EQ(denied.reason, "Everything is forbidden.");
  EXPECT_NE(base::SyncWait(authorizer->Authorize({})).decision, Decision::kAllow);
}

// Says what it is told to, at once or after a wait.
class Saying final : public Authorizer {
 public:
  Saying(Verdict verdict, bool waits) : verdict_(std::move(verdict)), waits_(waits) {}
  base::Task<Verdict> Authorize(const Attributes&) override { co_return verdict_; }
  std::optional<Verdict> AuthorizeNow(const Attributes&) override {
    if (waits_) return std::nullopt;
    return verdict_;
  }

 private:
  const Verdict verdict_;
  const bool waits_;
};

std::unique_ptr<Authorizer> UnionSaying(std::vector<Verdict> verdicts, bool wait = false) {
  std::vector<std::unique_ptr<Authorizer>> parts;
  for (Verdict& verdict : verdicts) parts.push_back(std::make_unique<Saying>(std::move(verdict), wait));
  return UnionOf(std::move(parts));
}

TEST(UnionTest, TheFirstOpinionDecides) {
  const Verdict unsure{Decision::kNoOpinion, "unsure", "broken"}, no{Decision::kDeny, "no"},
      yes{Decision::kAllow, "yes"};
  for (const bool wait : {false, true}) {
    Verdict verdict = base::SyncWait(UnionSaying({unsure, no, yes}, wait)->Authorize({}));
    EXPECT_EQ(verdict.decision, Decision::kDeny);
    EXPECT_EQ(verdict.reason, "no");
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(base::SyncWait(UnionSaying({unsure, yes, no}, wait)->Authorize({})).decision, Decision::kAllow);
  }
}

TEST(UnionTest, WithoutAnOpinionAllReasonsAndErrorsAreTold) {
  const auto authorizer =
      UnionSaying({{Decision::kNoOpinion, "a", "x"}, {}, {Decision::kNoOpinion, "b", "y"}});
  const Verdict verdict = *authorizer->AuthorizeNow({});
  EXPECT_EQ(verdict.decision, Decision::kNoOpinion);
  EXPECT_EQ(verdict.reason, "a\nb");
  EXPECT_EQ(verdict.error, "[x, y]");
}

TEST(UnionTest, DecidesAtOnceOnlyIfNobodyBeforeTheDecisionWaits) {
  const User user;
  const Attributes attributes{.user = &user};
  EXPECT_FALSE(UnionSaying({{}, {Decision::kAllow, ""}}, true)->AuthorizeNow(attributes));
  EXPECT_TRUE(UnionSaying({{}, {Decision::kAllow, ""}}, false)->AuthorizeNow(attributes));
}

}  // namespace
}  // namespace keelson::auth
