#include <gtest/gtest.h>

#include "auth/authz/authorizers.h"
#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

const User kAbacUser{.name = "ann", .groups = {"devs", "system:authenticated"}};
const User kAbacStranger{.name = "system:anonymous", .groups = {"system:unauthenticated"}};

std::unique_ptr<Authorizer> Policies(std::string_view text) {
  auto made = ParseAbac(text, "p");
  EXPECT_TRUE(made.has_value()) << made.error();
  return *std::move(made);
}
bool May(Authorizer& abac, const User& user, std::string_view verb, std::string_view group,
         std::string_view resource, std::string_view ns) {
  const Attributes attributes{
      .user = &user, .verb = verb, .resource_request = true, .group = group, .resource = resource, .ns = ns};
  return abac.AuthorizeNow(attributes)->decision == Decision::kAllow;
}
bool MayVisit(Authorizer& abac, const User& user, std::string_view verb, std::string_view path) {
  return abac.AuthorizeNow({.user = &user, .verb = verb, .path = path})->decision == Decision::kAllow;
}

TEST(AbacTest, APolicyAllowsWhatItNames) {
  const auto abac = Policies(R"(# comment

  {"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"ann","namespace":"demo","resource":"pods","readonly":true}}
{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"group":"devs","nonResourcePath":"/logs*"}}
)");
  EXPECT_TRUE(May(*abac, kAbacUser, "get", "", "pods", "demo"));
  EXPECT_FALSE(May(*abac, kAbacUser, "delete", "", "pods", "demo"));
  EXPECT_FALSE(May(*abac, kAbacUser, "get", "apps", "pods", "demo"));
  EXPECT_FALSE(May(*abac, kAbacUser, "get", "", "pods", ""));
  EXPECT_FALSE(May(*abac, kAbacStranger, "get", "", "pods", "demo"));
  EXPECT_TRUE(MayVisit(*abac, kAbacUser, "post", "/logs/x"));
  EXPECT_FALSE(MayVisit(*abac, kAbacUser, "get", "/x"));
  const Attributes other{.user = &kAbacUser, .verb = "get", .path = "/x"};
  EXPECT_EQ(base::SyncWait(abac->Authorize(other)).reason, "No policy matched.");
}

TEST(AbacTest, AStarIsEverybodyWithCredentials) {
  const auto abac = Policies(
      R"({"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"*","namespace":"*","resource":"*","apiGroup":"*"}})");
  EXPECT_TRUE(May(*abac, kAbacUser, "delete", "apps", "deployments", "demo"));
  EXPECT_FALSE(May(*abac, kAbacStranger, "get", "", "pods", "demo"));
  EXPECT_FALSE(MayVisit(*abac, kAbacUser, "get", "/x"));
}

TEST(AbacTest, WhatPoliciesWithoutAVersionLeaveOutStandsForAll) {
  const auto abac = Policies("{\"readonly\": true}\n{\"user\":\"ann\",\"resource\":\"pods\"}");
  EXPECT_TRUE(May(*abac, kAbacUser, "list", "batch", "jobs", "demo"));
  EXPECT_TRUE(MayVisit(*abac, kAbacUser, "get", "/x"));
  EXPECT_FALSE(May(*abac, kAbacUser, "create", "batch", "jobs", "demo"));
  EXPECT_TRUE(May(*abac, kAbacUser, "create", "", "pods", "demo"));
}

TEST(AbacTest, TellsRules) {
  const auto abac = Policies(R"({"user":"ann","namespace":"demo","resource":"pods","readonly":true})");
  const Rules rules = base::SyncWait(abac->RulesFor(kAbacUser, "demo"));
  ASSERT_EQ(rules.resources.size(), 1u);
  EXPECT_EQ(rules.resources[0].verbs, (std::vector<std::string>{"get", "list", "watch"}));
  EXPECT_TRUE(rules.non_resources.empty());
  EXPECT_TRUE(base::SyncWait(abac->RulesFor(kAbacUser, "other")).resources.empty());
}

TEST(AbacTest, ABadLineIsNamed) {
  for (const char* line :
       {"{", "[]", R"({"user": 1})", R"({"readonly": "yes"})",
        R"({"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":3})"}) {
    const auto made = ParseAbac("# first\n" + std::string(line), "p.jsonl");
    ASSERT_FALSE(made.has_value()) << line;
    EXPECT_TRUE(made.error().starts_with("error reading policy file p.jsonl, line 2: ")) << made.error();
  }
}

}  // namespace
}  // namespace keelson::auth
