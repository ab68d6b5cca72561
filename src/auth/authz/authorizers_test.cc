#include "auth/authz/authorizers.h"

#include <gtest/gtest.h>

#include "base/sync_wait.h"

namespace keelson::auth {
namespace {

User Member(std::string name, std::vector<std::string> groups) {
  return {.name = std::move(name), .groups = std::move(groups)};
}
const User kAnonymous = Member("system:anonymous", {"system:unauthenticated"});
const User kAnn = Member("ann", {"system:authenticated"});
const User kMonitor = Member("mon", {"system:monitoring", "system:authenticated"});
const User kAdmin = Member("admin", {"system:masters", "system:authenticated"});

bool Allowed(const Attributes& attributes) {
  const auto authorizer = MastersOnly();
  return base::SyncWait(authorizer->Authorize(attributes)).decision == Decision::kAllow;
}
bool MayGet(const User& user, std::string_view path, std::string_view verb = "get") {
  return Allowed({.user = &user, .verb = verb, .path = path});
}

TEST(MastersOnlyTest, MastersMayDoEverything) {
  EXPECT_TRUE(MayGet(kAdmin, "/metrics", "delete"));
  EXPECT_TRUE(Allowed({.user = &kAdmin, .verb = "delete", .resource_request = true, .resource = "nodes"}));
}

TEST(MastersOnlyTest, OthersMayNotTouchResources) {
  EXPECT_FALSE(
      Allowed({.user = &kAnn, .verb = "get", .resource_request = true, .resource = "pods", .path = "/api"}));
  EXPECT_FALSE(Allowed({.user = &kAnonymous, .verb = "list", .resource_request = true, .resource = "pods"}));
}

TEST(MastersOnlyTest, HealthAndVersionAreOpenToEverybody) {
  for (const User* user : {&kAnonymous, &kAnn})
    for (const char* path : {"/healthz", "/livez", "/readyz", "/version", "/version/"})
      EXPECT_TRUE(MayGet(*user, path)) << path;
  for (const char* path : {"/healthz/ping", "/readyz/", "/metrics", "/", "/versions"}) {
    EXPECT_FALSE(MayGet(kAnonymous, path)) << path;
    EXPECT_FALSE(MayGet(kAnn, path)) << path;
  }
  EXPECT_FALSE(MayGet(kAnonymous, "/healthz", "post"));
}

TEST(MastersOnlyTest, DiscoveryIsOpenToTheAuthenticated) {
  for (const char* path : {"/api", "/api/v1", "/apis", "/apis/apps", "/openapi/v2", "/openapi/v3/api/v1"}) {
    EXPECT_TRUE(MayGet(kAnn, path)) << path;
    EXPECT_FALSE(MayGet(kAnonymous, path)) << path;
  }
  EXPECT_FALSE(MayGet(kAnn, "/apiserver"));
}

TEST(MastersOnlyTest, WhatIsAllowedSaysByWhichRole) {
  const Attributes discovery{.user = &kAnn, .verb = "get", .path = "/api"};
  EXPECT_EQ(base::SyncWait(MastersOnly()->Authorize(discovery)).reason,
            "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" to "
            "Group \"system:authenticated\"");
}

TEST(MastersOnlyTest, MonitoringMayReadMetricsAndHealthDetails) {
  for (const char* path : {"/metrics", "/readyz/ping", "/livez/x", "/healthz"})
    EXPECT_TRUE(MayGet(kMonitor, path)) << path;
}

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

}  // namespace
}  // namespace keelson::auth
