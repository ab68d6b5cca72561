#include "controllers/resource_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "controllers/testing/fake_collection.h"
#include "controllers/testing/manual_loop.h"

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

template <class View>
api::Doc Read(std::string_view json) {
  api::Arena arena;
  const std::string_view text = arena.CopyString(json);
  auto root = api::json::Decode(text, View::Type(), arena, nullptr);
  EXPECT_TRUE(root) << root.error().message;
  return api::Doc(std::move(arena), *root);
}

std::map<std::string, std::string> Texts(const Usage& usage) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, amount] : usage) texts[name] = amount.ToString();
  return texts;
}

TEST(QuotaUsageTest, NamesTellWhatIsCounted) {
  const auto text = [](std::string_view name) {
    const Counted counted = CountedBy(name);
    return std::string(counted.group) + "/" + std::string(counted.resource);
  };
  EXPECT_EQ(text("pods"), "/pods");
  EXPECT_EQ(text("limits.memory"), "/pods");
  EXPECT_EQ(text("requests.example.com/gpu"), "/pods");
  EXPECT_EQ(text("hugepages-2Mi"), "/pods");
  EXPECT_EQ(text("services.nodeports"), "/services");
  EXPECT_EQ(text("requests.storage"), "/persistentvolumeclaims");
  EXPECT_EQ(text("gold.storageclass.storage.k8s.io/requests.storage"), "/persistentvolumeclaims");
  EXPECT_EQ(text("count/deployments.apps"), "apps/deployments");
  EXPECT_EQ(text("count/configmaps"), "/configmaps");
  EXPECT_EQ(text("secrets"), "/secrets");
  EXPECT_EQ(text("example.com/gpu"), "/");
}

TEST(QuotaUsageTest, APodUsesWhatItsContainersAskForUntilItHasEnded) {
  constexpr std::string_view kSpec = R"("spec":{"overhead":{"cpu":"10m"},"containers":[
      {"name":"a","resources":{"requests":{"cpu":"100m","example.com/gpu":"1"},"limits":{"cpu":"1"}}},
      {"name":"b","resources":{"requests":{"memory":"1Gi"}}}]})";
  const auto usage = [&](std::string_view status, int64_t now = 0) {
    const api::Doc pod =
        Read<api::core_v1::PodView>("{" + std::string(kSpec) + "," + std::string(status) + "}");
    return Texts(UsageOfPod(api::core_v1::PodView(pod), now));
  };
  EXPECT_THAT(usage(R"("status":{"phase":"Running"})"),
              ElementsAre(Pair("count/pods", "1"), Pair("cpu", "110m"), Pair("limits.cpu", "1010m"),
                          Pair("memory", "1Gi"), Pair("pods", "1"), Pair("requests.cpu", "110m"),
                          Pair("requests.example.com/gpu", "1"), Pair("requests.memory", "1Gi")));
  EXPECT_THAT(usage(R"("status":{"phase":"Succeeded"})"), ElementsAre(Pair("count/pods", "1")));
  constexpr std::string_view kGoing =
      R"("metadata":{"deletionTimestamp":"1970-01-01T00:01:00Z","deletionGracePeriodSeconds":30})";
  EXPECT_EQ(usage(kGoing, 90).size(), 8u);
  EXPECT_THAT(usage(kGoing, 91), ElementsAre(Pair("count/pods", "1")));
}

TEST(QuotaUsageTest, AServiceUsesPortsAsItsTypeSays) {
  const auto usage = [](std::string_view spec) {
    const api::Doc doc = Read<api::core_v1::ServiceView>(
        R"({"spec":{"ports":[{"port":1},{"port":2,"nodePort":30000}],)" + std::string(spec) + "}}");
    auto texts = Texts(UsageOfService(api::core_v1::ServiceView(doc)));
    return texts["services.nodeports"] + " " + texts["services.loadbalancers"];
  };
  EXPECT_EQ(usage(R"("type":"ClusterIP")"), "0 0");
  EXPECT_EQ(usage(R"("type":"NodePort")"), "2 0");
  EXPECT_EQ(usage(R"("type":"LoadBalancer")"), "2 1");
  EXPECT_EQ(usage(R"("type":"LoadBalancer","allocateLoadBalancerNodePorts":false)"), "1 1");
}

TEST(QuotaUsageTest, AClaimIsChargedToItsClass) {
  const api::Doc doc = Read<api::core_v1::PersistentVolumeClaimView>(
      R"({"spec":{"storageClassName":"gold","resources":{"requests":{"storage":"1Gi"}}},
          "status":{"allocatedResources":{"storage":"2Gi"}}})");
  EXPECT_THAT(Texts(UsageOfClaim(api::core_v1::PersistentVolumeClaimView(doc))),
              ElementsAre(Pair("count/persistentvolumeclaims", "1"),
                          Pair("gold.storageclass.storage.k8s.io/persistentvolumeclaims", "1"),
                          Pair("gold.storageclass.storage.k8s.io/requests.storage", "2Gi"),
                          Pair("persistentvolumeclaims", "1"), Pair("requests.storage", "2Gi")));
}

TEST(QuotaUsageTest, ScopesChoosePods) {
  const api::Doc pod = Read<api::core_v1::PodView>(
      R"({"spec":{"activeDeadlineSeconds":5,"priorityClassName":"high"},"status":{"qosClass":"Burstable"}})");
  const auto matches = [&](std::string_view spec) {
    const api::Doc quota = Read<api::core_v1::ResourceQuotaView>(R"({"spec":{)" + std::string(spec) + "}}");
    return ScopesMatch(api::core_v1::ResourceQuotaView(quota).spec(), api::core_v1::PodView(pod));
  };
  EXPECT_TRUE(matches(""));
  EXPECT_TRUE(matches(R"("scopes":["Terminating","NotBestEffort"])"));
  EXPECT_FALSE(matches(R"("scopes":["Terminating","BestEffort"])"));
  EXPECT_FALSE(matches(R"("scopes":["CrossNamespacePodAffinity"])"));
  const auto priority = [&](std::string_view op) {
    return matches(R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":")" +
                   std::string(op) + R"(","values":["high"]}]})");
  };
  EXPECT_TRUE(priority("In"));
  EXPECT_TRUE(priority("Exists"));
  EXPECT_FALSE(priority("NotIn"));
  EXPECT_FALSE(priority("DoesNotExist"));
}

class ResourceQuotasTest : public ::testing::Test {
 protected:
  void PutQuota(std::string_view spec) {
    quotas_.Put("n", Read<api::core_v1::ResourceQuotaView>(R"({"metadata":{"name":"q"},"spec":{)" +
                                                           std::string(spec) + "}}"));
  }
  void PutMap(const std::string& ns, const std::string& name) {
    maps_.Put(ns, Read<api::core_v1::ConfigMapView>(R"({"metadata":{"name":")" + name + R"("}})"));
  }
  std::map<std::string, std::string> Used() const {
    std::map<std::string, std::string> used;
    const api::core_v1::ResourceQuotaView quota(*quotas_.Find("n", "q"));
    for (const auto& [name, amount] : quota.status().used()) used.emplace(name, amount.string());
    return used;
  }

  ManualLoop loop_;
  FakeCollection quotas_, maps_, pods_;
  ResourceQuotas controller_{quotas_, {{{"", "configmaps"}, &maps_}, {{"", "pods"}, &pods_}}, loop_};
};

TEST_F(ResourceQuotasTest, TheStatusFollowsWhatThereIs) {
  controller_.Start();
  PutMap("n", "a");
  PutMap("other", "b");
  PutQuota(R"("hard":{"configmaps":"5","count/configmaps":"5","cpu":"2","count/unknown.example.com":"1"})");
  loop_.Run();
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "1"), Pair("count/configmaps", "1"), Pair("cpu", "0")));
  const int writes = quotas_.writes;
  PutMap("n", "c");
  PutMap("n", "d");
  maps_.Remove("n", "a");
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(Used()["configmaps"], "2");
  EXPECT_EQ(quotas_.writes, writes + 1) << "changes are gathered";
  PutMap("other", "e");
  loop_.Advance(ResourceQuotas::kGather);
  EXPECT_EQ(quotas_.writes, writes + 1);
}

TEST_F(ResourceQuotasTest, ALimitThatGoesIsNoLongerCounted) {
  controller_.Start();
  PutQuota(R"("hard":{"configmaps":"5","cpu":"1"})");
  loop_.Run();
  api::Doc changed = quotas_.Find("n", "q")->Clone();
  api::core_v1::ResourceQuotaEditor(changed).mutable_spec().mutable_hard().Erase("cpu");
  quotas_.Put("n", std::move(changed));
  loop_.Run();
  EXPECT_THAT(Used(), ElementsAre(Pair("configmaps", "0")));
}

}  // namespace
}  // namespace keelson::controllers
