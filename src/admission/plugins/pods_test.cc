#include <gtest/gtest.h>

#include "admission/plugins/default_toleration_seconds.h"
#include "admission/plugins/node_declared_features.h"
#include "admission/plugins/pod_resize_validator.h"
#include "admission/plugins/priority.h"
#include "admission/plugins/runtime_class.h"
#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodSpecView;
using api::core_v1::PodView;

PodSpecView SpecOf(const Write& write) { return PodView(write.object()).spec(); }

// ---- DefaultTolerationSeconds

TEST(DefaultTolerationSecondsTest, APodGetsBothTolerations) {
  Write write("", "pods", Pod(""));
  EXPECT_TRUE(write.Mutate(DefaultTolerationSeconds(300, 200)));
  const auto tolerations = SpecOf(write).tolerations();
  ASSERT_EQ(tolerations.size(), 2u);
  EXPECT_EQ(tolerations[0].key(), "node.kubernetes.io/not-ready");
  EXPECT_EQ(tolerations[0].operator_(), "Exists");
  EXPECT_EQ(tolerations[0].effect(), "NoExecute");
  EXPECT_EQ(tolerations[0].toleration_seconds(), 300);
  EXPECT_EQ(tolerations[1].key(), "node.kubernetes.io/unreachable");
  EXPECT_EQ(tolerations[1].toleration_seconds(), 200);
}

TEST(DefaultTolerationSecondsTest, WhatThePodSaysItselfStays) {
  const DefaultTolerationSeconds plugin(300, 300);
  const auto count = [&](std::string_view tolerations) {
    Write write("", "pods", Pod(R"("tolerations":[)" + std::string(tolerations) + "]"));
    EXPECT_TRUE(write.Mutate(plugin));
    return SpecOf(write).tolerations().size();
  };
  EXPECT_EQ(count(R"({"operator":"Exists"})"), 1u);
  EXPECT_EQ(count(R"({"key":"node.kubernetes.io/not-ready","effect":"NoExecute"})"), 2u);
  EXPECT_EQ(count(R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})"), 3u);
}

// ---- Priority

class PriorityTest : public testing::Test {
 protected:
  PriorityTest() { AddClass(R"({"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"})"); }
  void AddClass(std::string_view json) { objects_.Add("scheduling.k8s.io", "priorityclasses", json); }

  FakeObjects objects_;
  const Priority plugin_{objects_};
};

TEST_F(PriorityTest, WithoutAClassAPodHasPriorityZero) {
  Write write("", "pods", Pod(""));
  EXPECT_TRUE(write.Mutate(plugin_));
  EXPECT_TRUE(SpecOf(write).has_priority());
  EXPECT_EQ(SpecOf(write).priority(), 0);
  EXPECT_EQ(SpecOf(write).preemption_policy(), "PreemptLowerPriority");
}

TEST_F(PriorityTest, AClassGivesItsPriority) {
  Write write("", "pods", Pod(R"("priorityClassName":"high")"));
  EXPECT_TRUE(write.Mutate(plugin_));
  EXPECT_EQ(SpecOf(write).priority(), 1000);
  EXPECT_EQ(SpecOf(write).preemption_policy(), "Never");
}

TEST_F(PriorityTest, TheLowestOfSeveralDefaultsIsTheDefault) {
  AddClass(R"({"metadata":{"name":"b"},"value":20,"globalDefault":true,"preemptionPolicy":"Never"})");
  AddClass(R"({"metadata":{"name":"a"},"value":10,"globalDefault":true,"preemptionPolicy":"Never"})");
  Write write("", "pods", Pod(""));
  EXPECT_TRUE(write.Mutate(plugin_));
  EXPECT_EQ(SpecOf(write).priority_class_name(), "a");
  EXPECT_EQ(SpecOf(write).priority(), 10);
}

TEST_F(PriorityTest, WhatDoesNotFitTheClassIsRefused) {
  const auto refusal = [this](std::string_view spec) {
    return Refusal(Write("", "pods", Pod(spec)).Mutate(plugin_));
  };
  EXPECT_EQ(refusal(R"("priorityClassName":"nope")"),
            "pods \"p\" is forbidden: no PriorityClass with name nope was found");
  EXPECT_EQ(refusal(R"("priorityClassName":"high","priority":5)"),
            "pods \"p\" is forbidden: the integer value of priority (5) must not be provided in pod spec; "
            "priority admission controller computed 1000 from the given PriorityClass name");
  EXPECT_EQ(
      refusal(R"("priorityClassName":"high","preemptionPolicy":"PreemptLowerPriority")"),
      "pods \"p\" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be "
      "provided in pod spec; priority admission controller computed Never from the given PriorityClass "
      "name");
  EXPECT_EQ(refusal(R"("priorityClassName":"high","priority":1000)"), "");
}

TEST_F(PriorityTest, AnUpdateThatLeavesThePriorityOutKeepsIt) {
  Write write("", "pods", Pod(""), Pod(R"("priority":7,"preemptionPolicy":"Never")"));
  EXPECT_TRUE(write.Mutate(plugin_));
  EXPECT_EQ(SpecOf(write).priority(), 7);
  EXPECT_EQ(SpecOf(write).preemption_policy(), "Never");
}

TEST_F(PriorityTest, ThereIsOneDefaultClass) {
  const char* const a = R"({"metadata":{"name":"a"},"value":1,"globalDefault":true})";
  const char* const b = R"({"metadata":{"name":"b"},"value":1,"globalDefault":true})";
  const auto ask = [this](std::string_view now, std::string_view was) {
    return Refusal(Write("scheduling.k8s.io", "priorityclasses", now, was).Validate(plugin_));
  };
  EXPECT_EQ(ask(a, ""), "");
  AddClass(a);
  EXPECT_EQ(ask(a, a), "");
  EXPECT_EQ(ask(b, ""),
            "priorityclasses.scheduling.k8s.io \"b\" is forbidden: PriorityClass a is already marked as "
            "default. Only one default can exist");
}

// ---- RuntimeClass

class RuntimeClassTest : public testing::Test {
 protected:
  RuntimeClassTest() {
    objects_.Add("node.k8s.io", "runtimeclasses",
                 R"({"metadata":{"name":"box"},"handler":"box","overhead":{"podFixed":{"cpu":"250m"}},
                     "scheduling":{"nodeSelector":{"runtime":"box"},
                                   "tolerations":[{"key":"box","operator":"Exists"}]}})");
  }

  FakeObjects objects_;
  const RuntimeClass plugin_{objects_};
};

TEST_F(RuntimeClassTest, APodGetsOverheadAndPlacementOfItsClass) {
  Write write("", "pods", Pod(R"("runtimeClassName":"box","nodeSelector":{"zone":"a"},
      "tolerations":[{"key":"box","operator":"Equal","value":"1"},{"key":"other","operator":"Exists"}])"));
  ASSERT_TRUE(write.Mutate(plugin_));
  EXPECT_EQ(SpecOf(write).overhead().Find("cpu")->string(), "250m");
  EXPECT_EQ(SpecOf(write).node_selector().size(), 2u);
  // What the class tolerates covers the first one.
  const auto tolerations = SpecOf(write).tolerations();
  ASSERT_EQ(tolerations.size(), 2u);
  EXPECT_EQ(tolerations[0].key(), "other");
  EXPECT_EQ(tolerations[1].operator_(), "Exists");
  EXPECT_TRUE(write.Validate(plugin_));
}

TEST_F(RuntimeClassTest, WhatDoesNotFitTheClassIsRefused) {
  const auto refusal = [this](std::string_view spec) {
    return Refusal(Write("", "pods", Pod(spec)).Mutate(plugin_));
  };
  EXPECT_EQ(refusal(R"("runtimeClassName":"nope")"),
            "pods \"p\" is forbidden: pod rejected: RuntimeClass \"nope\" not found");
  EXPECT_EQ(
      refusal(R"("runtimeClassName":"box","overhead":{"cpu":"1"})"),
      "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  EXPECT_EQ(refusal(R"("runtimeClassName":"box","nodeSelector":{"runtime":"x"})"),
            "pods \"p\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[runtime] = box; "
            "pod.spec.nodeSelector[runtime] = x");
}

TEST_F(RuntimeClassTest, OverheadNeedsAClass) {
  EXPECT_EQ(
      Refusal(Write("", "pods", Pod(R"("overhead":{"cpu":"1"})")).Validate(plugin_)),
      "pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
      "Overhead");
  EXPECT_TRUE(Write("", "pods", Pod("")).Validate(plugin_));
}

class PodResizeValidatorTest : public ::testing::Test {
 protected:
  std::string Resize(std::string_view cpu, std::string_view node = "n") {
    const auto pod = [&](int generation, std::string_view amount) {
      return R"({"metadata": {"name": "p", "generation": )" + std::to_string(generation) +
             R"(}, "spec": {"nodeName": ")" + std::string(node) +
             R"(", "containers": [{"name": "c", "resources": {"requests": {"cpu": ")" + std::string(amount) +
             R"("}}}]}})";
    };
    Write write("", "pods", pod(2, cpu), pod(1, "1"));
    EXPECT_TRUE(plugin_.ConcernWith(Resource("", "pods"), "resize").validates);
    verdict_ = base::SyncWait(plugin_.Validate(write.request()));
    return Refusal(verdict_);
  }

  FakeObjects objects_;
  const PodResizeValidator plugin_{objects_};
  Verdict verdict_;
};

TEST_F(PodResizeValidatorTest, ANodeHasToBeLargeEnough) {
  objects_.Add("", "nodes", R"({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4"}}})");
  EXPECT_EQ(Resize("4"), "");
  EXPECT_EQ(Resize("4500m"),
            "pods \"p\" is forbidden: node didn't have enough allocatable resources: cpu, requested: 4500, "
            "allocatable: 4000");
  EXPECT_EQ(verdict_.error().details->causes.at(0).reason, "NodeCapacity");
}

TEST_F(PodResizeValidatorTest, ANodeHasToBeThereAndRunLinux) {
  EXPECT_EQ(Resize("2"), "pods \"p\" is forbidden: node \"n\" not found");
  EXPECT_EQ(Resize("2", ""), "");
  objects_.Add("", "nodes", R"({"metadata": {"name": "n", "labels": {"kubernetes.io/os": "windows"}}})");
  EXPECT_EQ(
      Resize("2"),
      "pods \"p\" is forbidden: pod resize is only supported on linux nodes, node \"n\" is \"windows\"");
}

TEST(NodeDeclaredFeaturesTest, ANodeMustHaveDeclaredWhatAResizeNeeds) {
  FakeObjects objects;
  const NodeDeclaredFeatures plugin(objects);
  const auto pod = [](int generation, std::string_view amount) {
    return R"({"metadata": {"name": "p", "generation": )" + std::to_string(generation) +
           R"(}, "spec": {"nodeName": "n", "initContainers": [{"name": "i", "resources": {"requests": {"cpu": ")" +
           std::string(amount) + R"("}}}]}})";
  };
  Write resize("", "pods", pod(2, "2"), pod(1, "1"));
  EXPECT_EQ(Refusal(base::SyncWait(plugin.Validate(resize.request()))),
            "pods \"p\" is forbidden: node \"n\" not found");
  objects.Add("", "nodes", R"({"metadata": {"name": "n"}})");
  EXPECT_EQ(
      Refusal(base::SyncWait(plugin.Validate(resize.request()))),
      "pods \"p\" is forbidden: pod update requires features InPlacePodVerticalScalingInitContainers which "
      "are not available on node \"n\"");
  FakeObjects newer;
  newer.Add("", "nodes", R"({"metadata": {"name": "n"}, "status": {"declaredFeatures":
                            ["InPlacePodVerticalScalingInitContainers"]}})");
  EXPECT_EQ(Refusal(base::SyncWait(NodeDeclaredFeatures(newer).Validate(resize.request()))), "");
}

}  // namespace
}  // namespace keelson::admission
