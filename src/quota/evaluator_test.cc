#include "quota/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/generated/resource_v1.h"

namespace keelson::quota {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const Evaluator kPods({"", "pods"});

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

TEST(EvaluatorTest, NamesTellWhatIsCounted) {
  const auto text = [](std::string_view name) {
    const api::GroupResource counted = CountedBy(name);
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
  EXPECT_EQ(text("gold.deviceclass.resource.k8s.io/devices"), "resource.k8s.io/resourceclaims");
  EXPECT_EQ(text("example.com/gpu"), "/");
  EXPECT_EQ(text("limits.example.com/gpu"), "/");
  EXPECT_EQ(text("gold.storageclass.storage.k8s.io/other"), "/");
}

TEST(EvaluatorTest, APodUsesWhatItsContainersAskForUntilItHasEnded) {
  constexpr std::string_view kSpec = R"("spec":{"overhead":{"cpu":"10m"},"containers":[
      {"name":"a","resources":{"requests":{"cpu":"100m","example.com/gpu":"1"},"limits":{"cpu":"1"}}},
      {"name":"b","resources":{"requests":{"memory":"1Gi"}}}]})";
  const auto usage = [&](std::string_view status, int64_t now = 0) {
    const api::Doc pod =
        Read<api::core_v1::PodView>("{" + std::string(kSpec) + "," + std::string(status) + "}");
    return Texts(kPods.UsageOf(pod, now));
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

TEST(EvaluatorTest, AServiceUsesPortsAsItsTypeSays) {
  const auto usage = [](std::string_view spec) {
    const api::Doc doc = Read<api::core_v1::ServiceView>(
        R"({"spec":{"ports":[{"port":1},{"port":2,"nodePort":30000}],)" + std::string(spec) + "}}");
    auto texts = Texts(Evaluator({"", "services"}).UsageOf(doc, 0));
    return texts["services.nodeports"] + " " + texts["services.loadbalancers"];
  };
  EXPECT_EQ(usage(R"("type":"ClusterIP")"), "0 0");
  EXPECT_EQ(usage(R"("type":"NodePort")"), "2 0");
  EXPECT_EQ(usage(R"("type":"LoadBalancer")"), "2 1");
  EXPECT_EQ(usage(R"("type":"LoadBalancer","allocateLoadBalancerNodePorts":false)"), "1 1");
}

TEST(EvaluatorTest, AClaimIsChargedToItsClass) {
  const api::Doc doc = Read<api::core_v1::PersistentVolumeClaimView>(
      R"({"spec":{"storageClassName":"gold","resources":{"requests":{"storage":"1Gi"}}},
          "status":{"allocatedResources":{"storage":"2Gi"}}})");
  EXPECT_THAT(Texts(Evaluator({"", "persistentvolumeclaims"}).UsageOf(doc, 0)),
              ElementsAre(Pair("count/persistentvolumeclaims", "1"),
                          Pair("gold.storageclass.storage.k8s.io/persistentvolumeclaims", "1"),
                          Pair("gold.storageclass.storage.k8s.io/requests.storage", "2Gi"),
                          Pair("persistentvolumeclaims", "1"), Pair("requests.storage", "2Gi")));
}

TEST(EvaluatorTest, ScopesChoosePods) {
  const api::Doc pod = Read<api::core_v1::PodView>(
      R"({"spec":{"activeDeadlineSeconds":5,"priorityClassName":"high"},"status":{"qosClass":"Burstable"}})");
  const auto matches = [&](std::string_view spec) {
    const api::Doc quota = Read<api::core_v1::ResourceQuotaView>(R"({"spec":{)" + std::string(spec) + "}}");
    return kPods.InScope(api::core_v1::ResourceQuotaView(quota).spec(), pod);
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

TEST(EvaluatorTest, StorageIsCountedInWholeBytes) {
  const api::Doc doc = Read<api::core_v1::PersistentVolumeClaimView>(
      R"({"spec":{"resources":{"requests":{"storage":"1500m"}}}})");
  EXPECT_EQ(Texts(Evaluator({"", "persistentvolumeclaims"}).UsageOf(doc, 0))["requests.storage"], "2");
}

TEST(EvaluatorTest, WhileAPodIsResizedItCountsWithTheMostThatItHasOrWants) {
  const auto cpu = [](std::string_view conditions) {
    const api::Doc pod = Read<api::core_v1::PodView>(
        R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}}}]},
            "status":{"conditions":[)" +
        std::string(conditions) + R"(],"containerStatuses":[{"name":"a","allocatedResources":{"cpu":"2"},
            "resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}]}})");
    auto texts = Texts(kPods.UsageOf(pod, 0));
    return texts["requests.cpu"] + " " + texts["limits.cpu"];
  };
  EXPECT_EQ(cpu(""), "3 4");
  EXPECT_EQ(cpu(R"({"type":"PodResizePending","reason":"Infeasible"})"), "2 1");
}

TEST(EvaluatorTest, ADeviceClaimIsChargedToTheClassesItMayTakeFrom) {
  const api::Doc claim = Read<api::resource_v1::ResourceClaimView>(R"({"spec":{"devices":{"requests":[
      {"name":"a","exactly":{"deviceClassName":"x","allocationMode":"ExactCount","count":2}},
      {"name":"b","firstAvailable":[{"name":"c","deviceClassName":"x","allocationMode":"ExactCount","count":1},
                                    {"name":"d","deviceClassName":"x","allocationMode":"ExactCount","count":3},
                                    {"name":"e","deviceClassName":"y","allocationMode":"All"}]}]}}})");
  EXPECT_THAT(Texts(Evaluator({"resource.k8s.io", "resourceclaims"}).UsageOf(claim, 0)),
              ElementsAre(Pair("count/resourceclaims.resource.k8s.io", "1"),
                          Pair("x.deviceclass.resource.k8s.io/devices", "5"),
                          Pair("y.deviceclass.resource.k8s.io/devices", "32")));
}

TEST(EvaluatorTest, OtherObjectsCountOneUnderAllTheirNames) {
  const api::Doc none;
  EXPECT_THAT(Texts(Evaluator({"", "secrets"}).UsageOf(none, 0)),
              ElementsAre(Pair("count/secrets", "1"), Pair("secrets", "1")));
  EXPECT_THAT(Texts(Evaluator({"apps", "deployments"}).UsageOf(none, 0)),
              ElementsAre(Pair("count/deployments.apps", "1")));
}

TEST(EvaluatorTest, ScopesChooseClaimsByTheClassOfTheirAttributes) {
  const auto matches = [](std::string_view claim, std::string_view op) {
    const api::Doc doc = Read<api::core_v1::PersistentVolumeClaimView>(claim);
    const api::Doc quota = Read<api::core_v1::ResourceQuotaView>(
        R"({"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"VolumeAttributesClass","operator":")" +
        std::string(op) + R"(","values":["fast"]}]}}})");
    return Evaluator({"", "persistentvolumeclaims"})
        .InScope(api::core_v1::ResourceQuotaView(quota).spec(), doc);
  };
  constexpr std::string_view kChanging =
      R"({"spec":{"volumeAttributesClassName":"fast"},"status":{"currentVolumeAttributesClassName":"slow"}})";
  EXPECT_TRUE(matches(kChanging, "In"));
  EXPECT_TRUE(matches(kChanging, "NotIn"));
  EXPECT_TRUE(matches(R"({})", "NotIn"));
  EXPECT_FALSE(matches(R"({})", "In"));
  EXPECT_FALSE(matches(R"({"spec":{"volumeAttributesClassName":"fast"}})", "NotIn"));
}

TEST(EvaluatorTest, ContainersMustAskForProcessorsAndMemoryThatAreLimited) {
  const api::Doc pod = Read<api::core_v1::PodView>(R"({"spec":{"containers":[
      {"name":"b","resources":{"requests":{"cpu":"1"}}},{"name":"a"}]}})");
  EXPECT_EQ(kPods.Objection({"cpu", "requests.cpu", "limits.cpu", "pods", "requests.ephemeral-storage"}, pod),
            "must specify cpu for: a; limits.cpu for: a,b; requests.cpu for: a");
  EXPECT_EQ(kPods.Objection({"pods"}, pod), "");
  const api::Doc whole = Read<api::core_v1::PodView>(
      R"({"spec":{"resources":{"requests":{"cpu":"1"}},"containers":[{"name":"a"}]}})");
  EXPECT_EQ(kPods.Objection({"memory"}, whole), "");
}

}  // namespace
}  // namespace keelson::quota
