#include "admission/plugins/namespace_lifecycle.h"

#include <gtest/gtest.h>

namespace keelson::admission {
namespace {

constexpr api::GroupResource kConfigMaps{"", "configmaps"};

TEST(NamespaceLifecycleTest, TheClustersOwnNamespacesStay) {
  for (const char* name : {"default", "kube-system", "kube-public"}) {
    const auto refused = AdmitNamespaceDelete(name);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 403);
    EXPECT_EQ(refused.error().message,
              "namespaces \"" + std::string(name) + "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_TRUE(AdmitNamespaceDelete("kube-node-lease"));
  EXPECT_TRUE(AdmitNamespaceDelete("demo"));
}

TEST(NamespaceLifecycleTest, NothingGoesIntoANamespaceThatIsNotThere) {
  for (const bool creates : {true, false}) {
    const auto refused = AdmitNamespaceContent(creates, kConfigMaps, "a", "x", NamespaceState::kAbsent);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 404);
    EXPECT_EQ(refused.error().message, "namespaces \"x\" not found");
  }
}

TEST(NamespaceLifecycleTest, ATerminatingNamespaceTakesUpdatesButNothingNew) {
  EXPECT_TRUE(AdmitNamespaceContent(false, kConfigMaps, "a", "x", NamespaceState::kTerminating));
  const auto refused = AdmitNamespaceContent(true, kConfigMaps, "a", "x", NamespaceState::kTerminating);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "configmaps \"a\" is forbidden: unable to create new content in namespace x because it is being "
            "terminated");
  ASSERT_EQ(refused.error().details->causes.size(), 1u);
  EXPECT_EQ(refused.error().details->causes[0].reason, "NamespaceTerminating");
  EXPECT_EQ(refused.error().details->causes[0].field, "metadata.namespace");
}

TEST(NamespaceLifecycleTest, AnActiveNamespaceTakesEverything) {
  EXPECT_TRUE(AdmitNamespaceContent(true, kConfigMaps, "a", "x", NamespaceState::kActive));
}

}  // namespace
}  // namespace keelson::admission
