#include "auth/authz/rbac/rbac_authorizer.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/sync_wait.h"

namespace keelson::auth::rbac {
namespace {

User Someone(std::string name, std::vector<std::string> groups = {}) {
  return {.name = std::move(name), .groups = std::move(groups)};
}

PolicyRule On(std::vector<std::string> verbs, std::vector<std::string> groups,
              std::vector<std::string> resources, std::vector<std::string> names = {}) {
  return {.verbs = std::move(verbs),
          .groups = std::move(groups),
          .resources = std::move(resources),
          .names = std::move(names)};
}
PolicyRule OnPaths(std::vector<std::string> verbs, std::vector<std::string> urls) {
  return {.verbs = std::move(verbs), .urls = std::move(urls)};
}

Subject UserNamed(std::string name) { return {Subject::Kind::kUser, std::move(name), ""}; }
Subject GroupNamed(std::string name) { return {Subject::Kind::kGroup, std::move(name), ""}; }
Subject Account(std::string ns, std::string name) {
  return {Subject::Kind::kServiceAccount, std::move(name), std::move(ns)};
}

BindingPtr Bind(std::string ns, std::string name, std::string kind, std::string role,
                std::vector<Subject> subjects) {
  base::IntrusivePtr<Binding> binding(new Binding);
  binding->ns = std::move(ns);
  binding->name = std::move(name);
  binding->role_kind = std::move(kind);
  binding->role_name = std::move(role);
  binding->subjects = std::move(subjects);
  return binding;
}

class RbacTest : public ::testing::Test {
 protected:
  Verdict Ask(const User& user, std::string_view verb, std::string_view group, std::string_view resource,
              std::string_view ns = "", std::string_view name = "", std::string_view subresource = "",
              bool wants_reason = true) {
    index().Publish();
    return base::SyncWait(rbac_.Authorize({.user = &user,
                                           .verb = verb,
                                           .resource_request = true,
                                           .group = group,
                                           .version = "v1",
                                           .resource = resource,
                                           .subresource = subresource,
                                           .ns = ns,
                                           .name = name,
                                           .wants_reason = wants_reason}));
  }
  // Whoever wants no reason hears the same, the second time too, when it may have been kept.
  bool May(const User& user, std::string_view verb, std::string_view group, std::string_view resource,
           std::string_view ns = "", std::string_view name = "", std::string_view subresource = "") {
    const Decision decision = Ask(user, verb, group, resource, ns, name, subresource).decision;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Ask(user, verb, group, resource, ns, name, subresource, false).decision, decision) << i;
    }
    return decision == Decision::kAllow;
  }
  bool MayVisit(const User& user, std::string_view verb, std::string_view path) {
    index().Publish();
    const Attributes attributes{.user = &user, .verb = verb, .path = path};
    return base::SyncWait(rbac_.Authorize(attributes)).decision == Decision::kAllow;
  }
  RuleIndex& index() { return rbac_.index(); }

  RbacAuthorizer rbac_;
  const User ann_ = Someone("ann", {"devs", "system:authenticated"});
};

TEST_F(RbacTest, NobodyMayDoAnythingBeforeSomethingIsBound) {
  const Verdict verdict = Ask(ann_, "get", "", "pods", "demo");
  EXPECT_EQ(verdict.decision, Decision::kNoOpinion);
  EXPECT_EQ(verdict.reason, "");
}

TEST_F(RbacTest, WhatIsKeptCountsForTheSameQuestionUnderTheSameRulesOnly) {
  const auto put = [&](std::vector<std::string> names) {
    index().PutRole("demo", "r", {On({"get"}, {""}, {"pods"}, std::move(names))});
  };
  put({});
  index().PutBinding(Bind("demo", "b", "Role", "r", {UserNamed("ann")}));
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "a"));
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "b"));
  EXPECT_FALSE(May(ann_, "list", "", "pods", "demo"));
  EXPECT_FALSE(May(ann_, "get", "", "pods", "other", "a"));
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo", "a", "log"));
  EXPECT_FALSE(May(ann_, "get", "apps", "pods", "demo", "a"));
  EXPECT_FALSE(May(Someone("bob"), "get", "", "pods", "demo", "a"));
  put({"a"});
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "a"));
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo", "b"));
  put({});
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "b"));
  index().RemoveBinding("demo", "b");
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo", "b"));
}

TEST_F(RbacTest, PartsOfAQuestionDoNotRunIntoEachOther) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "b", "ClusterRole", "r", {UserNamed("ann"), GroupNamed("ab")}));
  EXPECT_TRUE(May(Someone("x", {"ab"}), "get", "", "pods"));
  EXPECT_FALSE(May(Someone("x", {"a", "b"}), "get", "", "pods"));
  EXPECT_FALSE(May(Someone("xab"), "get", "", "pods"));
  const std::vector<std::string> many(300, "system:authenticated");
  EXPECT_TRUE(May(Someone("ann", many), "get", "", "pods"));
}

TEST_F(RbacTest, AClusterRoleBindingCountsEverywhereAndARoleBindingInItsNamespace) {
  index().PutRole("", "view", {On({"get", "list"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "viewers", "ClusterRole", "view", {GroupNamed("devs")}));
  index().PutRole("demo", "killer", {On({"delete"}, {""}, {"pods"})});
  index().PutBinding(Bind("demo", "killers", "Role", "killer", {UserNamed("ann")}));
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo"));
  EXPECT_TRUE(May(ann_, "list", "", "pods"));
  EXPECT_TRUE(May(ann_, "delete", "", "pods", "demo"));
  EXPECT_FALSE(May(ann_, "delete", "", "pods", "other"));
  EXPECT_FALSE(May(ann_, "delete", "", "pods"));
  EXPECT_FALSE(May(Someone("bob"), "get", "", "pods", "demo"));
  EXPECT_FALSE(May(Someone("devs"), "get", "", "pods", "demo"));
}

TEST_F(RbacTest, TellsWhichBindingAllowedIt) {
  index().PutRole("", "r", {On({"*"}, {"*"}, {"*"})});
  index().PutBinding(Bind("", "cb", "ClusterRole", "r", {UserNamed("root")}));
  EXPECT_EQ(Ask(Someone("root"), "get", "", "pods").reason,
            "RBAC: allowed by ClusterRoleBinding \"cb\" of ClusterRole \"r\" to User \"root\"");
  index().PutBinding(Bind("ns1", "b", "ClusterRole", "r", {Account("ns2", "sweeper"), GroupNamed("g")}));
  EXPECT_EQ(Ask(Someone("system:serviceaccount:ns2:sweeper", {"g"}), "get", "", "pods", "ns1").reason,
            "RBAC: allowed by RoleBinding \"b/ns1\" of ClusterRole \"r\" to ServiceAccount \"sweeper/ns2\"");
  EXPECT_EQ(Ask(Someone("x", {"g"}), "get", "", "pods", "ns1").reason,
            "RBAC: allowed by RoleBinding \"b/ns1\" of ClusterRole \"r\" to Group \"g\"");
}

TEST_F(RbacTest, AReasonIsKeptWithTheAllowance) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "one", "ClusterRole", "r", {UserNamed("ann")}));
  const auto reason = [&](bool wanted) { return Ask(ann_, "get", "", "pods", "", "a", "", wanted).reason; };
  const std::string told = "RBAC: allowed by ClusterRoleBinding \"one\" of ClusterRole \"r\" to User \"ann\"";
  EXPECT_EQ(reason(false), "");
  EXPECT_EQ(reason(true), told) << "what was kept has no reason";
  EXPECT_EQ(reason(true), told) << "what was kept has one";
  EXPECT_EQ(reason(false), "");
  EXPECT_EQ(reason(true), told);
  index().RemoveBinding("", "one");
  index().PutBinding(Bind("", "two", "ClusterRole", "r", {UserNamed("ann")}));
  EXPECT_TRUE(reason(true).contains("\"two\""));
}

TEST_F(RbacTest, ARefusalTellsOfRolesThatAreNotThere) {
  index().PutBinding(Bind("", "b1", "ClusterRole", "gone", {UserNamed("ann")}));
  EXPECT_EQ(Ask(ann_, "get", "", "pods", "demo").reason,
            "RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found");
  index().PutBinding(Bind("demo", "b2", "Role", "lost", {GroupNamed("devs")}));
  index().PutBinding(Bind("demo", "b3", "ClusterRole", "gone", {GroupNamed("devs")}));
  EXPECT_EQ(Ask(ann_, "get", "", "pods", "demo").reason,
            "RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, "
            "role.rbac.authorization.k8s.io \"lost\" not found]");
  index().PutRole("", "gone", {On({"get"}, {""}, {"pods"})});
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo"));
}

TEST_F(RbacTest, ResourcesMatchAsTheyAreNamed) {
  index().PutRole("", "r",
                  {On({"get"}, {""}, {"pods", "pods/log"}), On({"update"}, {"apps"}, {"*/scale"}),
                   On({"get"}, {""}, {"configmaps"}, {"a", "b"}), On({"approve"}, {"x"}, {"y"}),
                   On({"patch"}, {"*"}, {"*"}, {"only"})});
  index().PutBinding(Bind("", "b", "ClusterRole", "r", {UserNamed("ann")}));
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "p"));
  EXPECT_TRUE(May(ann_, "get", "", "pods", "demo", "p", "log"));
  EXPECT_TRUE(May(ann_, "get", "", "pods/log", "demo", "p")) << "as an access review may put it";
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo", "p", "exec"));
  EXPECT_FALSE(May(ann_, "get", "apps", "pods", "demo", "p"));
  EXPECT_TRUE(May(ann_, "update", "apps", "deployments", "demo", "d", "scale"));
  EXPECT_FALSE(May(ann_, "update", "apps", "deployments", "demo", "d"));
  EXPECT_FALSE(May(ann_, "update", "apps", "deployments", "demo", "d", "status"));
  EXPECT_TRUE(May(ann_, "get", "", "configmaps", "demo", "b"));
  EXPECT_FALSE(May(ann_, "get", "", "configmaps", "demo", "c"));
  EXPECT_FALSE(May(ann_, "get", "", "configmaps", "demo")) << "names never match a request without one";
  EXPECT_TRUE(May(ann_, "approve", "x", "y"));
  EXPECT_FALSE(May(ann_, "sign", "x", "y"));
  EXPECT_TRUE(May(ann_, "patch", "batch", "jobs", "demo", "only", "status"));
  EXPECT_FALSE(May(ann_, "patch", "batch", "jobs", "demo", "other"));
}

TEST_F(RbacTest, PathsMatchWholeOrByTheirBeginning) {
  index().PutRole("", "r", {OnPaths({"get"}, {"/healthz", "/apis/*"}), OnPaths({"*"}, {"/all**"})});
  index().PutBinding(Bind("", "b", "ClusterRole", "r", {UserNamed("ann")}));
  EXPECT_TRUE(MayVisit(ann_, "get", "/healthz"));
  EXPECT_FALSE(MayVisit(ann_, "get", "/healthz/"));
  EXPECT_TRUE(MayVisit(ann_, "get", "/apis/apps"));
  EXPECT_FALSE(MayVisit(ann_, "get", "/apis"));
  EXPECT_FALSE(MayVisit(ann_, "post", "/apis/apps"));
  EXPECT_TRUE(MayVisit(ann_, "post", "/all-of-it"));
  EXPECT_FALSE(May(ann_, "get", "", "healthz")) << "a rule on paths is none on resources";
}

TEST_F(RbacTest, AServiceAccountIsTheUserItAuthenticatesAs) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "nobody", "ClusterRole", "r", {Account("", "sweeper")}));
  EXPECT_FALSE(May(Someone("system:serviceaccount:demo:sweeper"), "get", "", "pods", "demo"));
  index().PutBinding(Bind("", "somebody", "ClusterRole", "r", {Account("demo", "sweeper")}));
  EXPECT_TRUE(May(Someone("system:serviceaccount:demo:sweeper"), "get", "", "pods", "other"));
  EXPECT_FALSE(May(Someone("system:serviceaccount:demo:sweeper2"), "get", "", "pods", "other"));
}

TEST_F(RbacTest, ASubjectKeepsARoleUntilItsLastBindingGoes) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutBinding(Bind("demo", "b1", "ClusterRole", "r", {UserNamed("ann"), UserNamed("ann")}));
  index().PutBinding(Bind("demo", "b2", "ClusterRole", "r", {UserNamed("ann")}));
  EXPECT_NE(Ask(ann_, "get", "", "pods", "demo").reason.find("\"b1/demo\""), std::string::npos);
  index().RemoveBinding("demo", "b1");
  EXPECT_NE(Ask(ann_, "get", "", "pods", "demo").reason.find("\"b2/demo\""), std::string::npos);
  index().PutBinding(Bind("demo", "b2", "ClusterRole", "r", {UserNamed("bob")}));
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo"));
  EXPECT_TRUE(May(Someone("bob"), "get", "", "pods", "demo"));
}

TEST_F(RbacTest, ARelistRemovesWhatIsNotThereAnyMore) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutRole("demo", "r", {On({"list"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "b1", "ClusterRole", "r", {UserNamed("ann")}));
  index().PutBinding(Bind("", "b2", "ClusterRole", "r", {UserNamed("bob")}));
  index().PutBinding(Bind("demo", "b", "Role", "r", {UserNamed("ann")}));
  index().StartRelist(RuleIndex::Kind::kBindings, false);
  index().PutBinding(Bind("", "b2", "ClusterRole", "r", {UserNamed("bob")}));
  index().FinishRelist(RuleIndex::Kind::kBindings, false);
  EXPECT_FALSE(May(ann_, "get", "", "pods", "demo"));
  EXPECT_TRUE(May(Someone("bob"), "get", "", "pods", "demo"));
  EXPECT_TRUE(May(ann_, "list", "", "pods", "demo"));
  index().StartRelist(RuleIndex::Kind::kRoles, true);
  index().FinishRelist(RuleIndex::Kind::kRoles, true);
  EXPECT_FALSE(May(ann_, "list", "", "pods", "demo"));
  EXPECT_TRUE(May(Someone("bob"), "get", "", "pods", "demo"));
}

TEST_F(RbacTest, TellsTheRulesOfSomebodyEachRoleOnce) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"}), OnPaths({"get"}, {"/x"})});
  index().PutRole("demo", "s", {On({"list"}, {"apps"}, {"deployments"}, {"d"})});
  index().PutBinding(Bind("", "b1", "ClusterRole", "r", {UserNamed("ann"), GroupNamed("devs")}));
  index().PutBinding(Bind("", "b2", "ClusterRole", "r", {GroupNamed("devs")}));
  index().PutBinding(Bind("demo", "b", "Role", "s", {UserNamed("ann")}));
  index().PutBinding(Bind("demo", "c", "Role", "gone", {UserNamed("ann")}));
  index().Publish();
  const Rules rules = base::SyncWait(rbac_.RulesFor(ann_, "demo"));
  ASSERT_EQ(rules.resources.size(), 2u);
  EXPECT_EQ(rules.resources[0].verbs, std::vector<std::string>{"get"});
  EXPECT_EQ(rules.resources[1].names, std::vector<std::string>{"d"});
  ASSERT_EQ(rules.non_resources.size(), 1u);
  EXPECT_EQ(rules.error, "role.rbac.authorization.k8s.io \"gone\" not found");
  EXPECT_FALSE(rules.incomplete);
}

// A source that is behind until it is caught up with.
class LateSource final : public IndexSource {
 public:
  explicit LateSource(RbacAuthorizer& rbac) : rbac_(rbac) {}
  bool IsCurrent() const override { return current; }
  base::Task<void> CatchUp() override {
    rbac_.index().RemoveBinding("", "b");
    rbac_.index().Publish();
    current = true;
    co_return;
  }
  bool current = false;

 private:
  RbacAuthorizer& rbac_;
};

TEST_F(RbacTest, DecidesOnNothingOlderThanWhatWasAcknowledged) {
  index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  index().PutBinding(Bind("", "b", "ClusterRole", "r", {UserNamed("ann")}));
  index().Publish();
  LateSource source(rbac_);
  rbac_.Use(source);
  const Attributes attributes{.user = &ann_, .verb = "get", .resource_request = true, .resource = "pods"};
  EXPECT_FALSE(rbac_.AuthorizeNow(attributes).has_value());
  EXPECT_EQ(base::SyncWait(rbac_.Authorize(attributes)).decision, Decision::kNoOpinion);
  EXPECT_TRUE(rbac_.AuthorizeNow(attributes).has_value());
}

TEST(RbacConcurrencyTest, ReadersSeeOneVersionOrTheNext) {
  RbacAuthorizer rbac;
  rbac.index().PutRole("", "r", {On({"get"}, {""}, {"pods"})});
  rbac.index().PutBinding(Bind("", "always", "ClusterRole", "r", {UserNamed("ann")}));
  rbac.index().Publish();
  const User ann = Someone("ann", {"devs"}), dev = Someone("dev", {"devs"});
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      const Attributes a{
          .user = &ann, .verb = "get", .resource_request = true, .resource = "pods", .ns = "demo"};
      const Attributes d{
          .user = &dev, .verb = "get", .resource_request = true, .resource = "pods", .ns = "demo"};
      while (!stop.load()) {
        if (rbac.AuthorizeNow(a)->decision != Decision::kAllow) ++refused;
        rbac.AuthorizeNow(d);
      }
    });
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "b" + std::to_string(i % 50);
    if (i % 3 == 2)
      rbac.index().RemoveBinding("demo", name);
    else
      rbac.index().PutBinding(
          Bind("demo", name, "ClusterRole", "r", {GroupNamed("devs"), UserNamed("u" + name)}));
    rbac.index().Publish();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(refused.load(), 0);
}

}  // namespace
}  // namespace keelson::auth::rbac
