#include "admission/plugins/namespace_lifecycle.h"

#include <gtest/gtest.h>

#include "admission/testing/fakes.h"

namespace keelson::admission {
namespace {

class OneState final : public NamespaceStates {
 public:
  explicit OneState(NamespaceState state) : state_(state) {}
  base::Task<base::Result<NamespaceState, api::Status>> Find(std::string_view) const override {
    co_return state_;
  }

 private:
  const NamespaceState state_;
};

Verdict Ask(NamespaceState state, Operation operation, std::string_view plural, std::string_view ns,
            std::string_view name) {
  const OneState states(state);
  const NamespaceLifecycle plugin(states);
  EXPECT_TRUE(plugin.ConcernWith(Resource("", plural), "").mutates);
  return base::SyncWait(
      plugin.Mutate({.operation = operation, .resource = &Resource("", plural), .ns = ns, .name = name}));
}

Verdict Delete(std::string_view ns) {
  return Ask(NamespaceState::kActive, Operation::kDelete, "namespaces", "", ns);
}

Verdict Put(NamespaceState state, Operation operation) {
  return Ask(state, operation, "configmaps", "x", "a");
}

TEST(NamespaceLifecycleTest, TheClustersOwnNamespacesStay) {
  for (const std::string name : {"default", "kube-system", "kube-public"}) {
    const auto refused = Delete(name);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 403);
    EXPECT_EQ(refused.error().message,
              "namespaces \"" + name + "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_TRUE(Delete("kube-node-lease"));
  EXPECT_TRUE(Delete("demo"));
}

TEST(NamespaceLifecycleTest, NothingGoesIntoANamespaceThatIsNotThere) {
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate}) {
    const auto refused = Put(NamespaceState::kAbsent, operation);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 404);
    EXPECT_EQ(refused.error().message, "namespaces \"x\" not found");
  }
}

TEST(NamespaceLifecycleTest, WhatIsLeftMayAlwaysBeDeleted) {
  EXPECT_TRUE(Put(NamespaceState::kAbsent, Operation::kDelete));
  EXPECT_TRUE(Put(NamespaceState::kTerminating, Operation::kDelete));
}

TEST(NamespaceLifecycleTest, ATerminatingNamespaceTakesUpdatesButNothingNew) {
  EXPECT_TRUE(Put(NamespaceState::kTerminating, Operation::kUpdate));
  const auto refused = Put(NamespaceState::kTerminating, Operation::kCreate);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "configmaps \"a\" is forbidden: unable to create new content in namespace x because it is being "
            "terminated");
  ASSERT_EQ(refused.error().details->causes.size(), 1u);
  EXPECT_EQ(refused.error().details->causes[0].reason, "NamespaceTerminating");
  EXPECT_EQ(refused.error().details->causes[0].field, "metadata.namespace");
}

TEST(NamespaceLifecycleTest, OrdersToAPodAreNewContentAndConnectionsAreNot) {
  const OneState states(NamespaceState::kTerminating);
  const NamespaceLifecycle plugin(states);
  const auto ask = [&](Operation operation, std::string_view subresource) {
    EXPECT_TRUE(plugin.ConcernWith(Resource("", "pods"), subresource).mutates);
    return base::SyncWait(plugin.Mutate({.operation = operation,
                                         .resource = &Resource("", "pods"),
                                         .subresource = subresource,
                                         .ns = "x",
                                         .name = "a"}));
  };
  EXPECT_FALSE(ask(Operation::kCreate, "eviction"));
  EXPECT_FALSE(ask(Operation::kCreate, "binding"));
  EXPECT_TRUE(ask(Operation::kUpdate, "status"));
  EXPECT_TRUE(ask(Operation::kConnect, "exec"));
}

TEST(NamespaceLifecycleTest, WhatSomebodyMayDoCanBeAskedAboutAnyNamespace) {
  const OneState states(NamespaceState::kAbsent);
  const auto& reviews = Resource("authorization.k8s.io", "localsubjectaccessreviews");
  EXPECT_FALSE(NamespaceLifecycle(states).ConcernWith(reviews, "").mutates);
}

TEST(NamespaceLifecycleTest, AnActiveNamespaceTakesEverything) {
  EXPECT_TRUE(Put(NamespaceState::kActive, Operation::kCreate));
}

TEST(NamespaceLifecycleTest, WhatLiesInNoNamespaceIsNoConcern) {
  const OneState states(NamespaceState::kAbsent);
  EXPECT_FALSE(NamespaceLifecycle(states).ConcernWith(Resource("", "nodes"), "").mutates);
}

}  // namespace
}  // namespace keelson::admission
