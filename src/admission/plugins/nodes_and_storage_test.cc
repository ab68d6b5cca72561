#include <gtest/gtest.h>

#include "admission/plugins/persistent_volume_claim_resize.h"
#include "admission/plugins/storage_object_in_use_protection.h"
#include "admission/plugins/taint_nodes_by_condition.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using api::core_v1::NodeView;

TEST(TaintNodesByConditionTest, ANewNodeIsTainted) {
  Write write("", "nodes",
              R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}})");
  EXPECT_TRUE(write.Mutate(TaintNodesByCondition()));
  const auto taints = NodeView(write.object()).spec().taints();
  ASSERT_EQ(taints.size(), 2u);
  EXPECT_EQ(taints[1].key(), "node.kubernetes.io/not-ready");
  EXPECT_EQ(taints[1].effect(), "NoSchedule");
}

TEST(TaintNodesByConditionTest, ATaintThatIsThereIsNotRepeated) {
  Write write(
      "", "nodes",
      R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}})");
  EXPECT_TRUE(write.Mutate(TaintNodesByCondition()));
  EXPECT_EQ(NodeView(write.object()).spec().taints().size(), 1u);
}

TEST(TaintNodesByConditionTest, ANodeThatLostItsTaintStaysWithoutIt) {
  Write write("", "nodes", R"({"metadata":{"name":"n"}})", R"({"metadata":{"name":"n"}})");
  EXPECT_TRUE(write.Mutate(TaintNodesByCondition()));
  EXPECT_TRUE(NodeView(write.object()).spec().taints().empty());
}

TEST(StorageObjectInUseProtectionTest, EachKindGetsItsFinalizerOnce) {
  const StorageObjectInUseProtection plugin;
  const std::tuple<const char*, const char*, const char*> kinds[] = {
      {"", "persistentvolumes", "kubernetes.io/pv-protection"},
      {"", "persistentvolumeclaims", "kubernetes.io/pvc-protection"},
      {"storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"}};
  for (const auto& [group, plural, finalizer] : kinds) {
    Write write(group, plural, R"({"metadata":{"name":"a","finalizers":["x/y"]}})");
    EXPECT_TRUE(write.Mutate(plugin));
    EXPECT_TRUE(write.Mutate(plugin));
    const auto finalizers = api::MetadataOf(write.object()).finalizers();
    ASSERT_EQ(finalizers.size(), 2u) << plural;
    EXPECT_EQ(finalizers[1].string(), finalizer);
  }
  EXPECT_FALSE(plugin.ConcernWith(Resource("", "persistentvolumes"), "status").mutates);
  EXPECT_FALSE(plugin.ConcernWith(Resource("", "pods"), "").mutates);
}

TEST(StorageObjectInUseProtectionTest, AnUpdateMayTakeTheFinalizerAway) {
  Write write("", "persistentvolumes", R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a"}})");
  EXPECT_TRUE(write.Mutate(StorageObjectInUseProtection()));
  EXPECT_TRUE(api::MetadataOf(write.object()).finalizers().empty());
}

std::string Claim(std::string_view size, std::string_view phase) {
  return R"({"metadata":{"name":"c"},"spec":{"storageClassName":"growing","resources":{"requests":{"storage":")" +
         std::string(size) + R"("}}},"status":{"phase":")" + std::string(phase) + R"("}})";
}

TEST(PersistentVolumeClaimResizeTest, OnlyBoundClaimsOfClassesThatAllowItGrow) {
  FakeObjects objects;
  const PersistentVolumeClaimResize plugin(objects);
  const auto ask = [&](std::string_view size, std::string_view phase) {
    return Refusal(
        Write("", "persistentvolumeclaims", Claim(size, phase), Claim("1Gi", phase)).Validate(plugin));
  };
  EXPECT_EQ(ask("1024Mi", "Pending"), "");
  EXPECT_EQ(ask("2Gi", "Pending"),
            "persistentvolumeclaims \"c\" is forbidden: Only bound persistent volume claims can be expanded");
  EXPECT_EQ(ask("2Gi", "Bound"),
            "persistentvolumeclaims \"c\" is forbidden: only dynamically provisioned pvc can be resized and "
            "the storageclass that provisions the pvc must support resize");
  objects.Add("storage.k8s.io", "storageclasses",
              R"({"metadata":{"name":"growing"},"allowVolumeExpansion":true})");
  EXPECT_EQ(ask("2Gi", "Bound"), "");
}

}  // namespace
}  // namespace keelson::admission
