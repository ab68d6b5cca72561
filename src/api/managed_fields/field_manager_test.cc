#include "api/managed_fields/field_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/generated/autoscaling_v2.h"
#include "api/managed_fields/testing/config_tree.h"
#include "api/meta/object_meta.h"

namespace keelson::api::managed_fields {
namespace {

using testing::HasSubstr;

class FieldManagerTest : public testing::Test {
 protected:
  static const ResourceDesc& Resource(std::string_view plural) { return *FindResource("", "v1", plural); }

  static Doc Object(std::string_view plural, std::string_view json) { return Object(Resource(plural), json); }
  static Doc Object(const ResourceDesc& resource, std::string_view json) {
    Arena arena;
    std::string_view text = arena.CopyString(json);
    auto root = json::Decode(text, *resource.type, arena, nullptr);
    EXPECT_TRUE(root) << root.error().message;
    return Doc(std::move(arena), *root);
  }

  static std::string Text(const Doc& doc) {
    base::BufferBuilder out;
    json::Encode(*doc.root(), out);
    return std::string(out.view());
  }

  // "manager operation time fields" of every entry.
  static std::vector<std::string> Managers(const Doc& doc) {
    std::vector<std::string> out;
    for (auto e : MetadataOf(doc).managed_fields())
      out.push_back(std::string(e.manager()) +
                    (e.subresource().empty() ? "" : "/" + std::string(e.subresource())) + " " +
                    std::string(e.operation()) + " " + std::to_string(e.time()) + " " +
                    std::string(e.fields_v1()));
    return out;
  }
  using Entries = std::vector<std::string>;

  // Applies to `live` and replaces it by the result; the error's message if there is one.
  std::string Apply(Doc& live, std::string_view config, std::string_view manager, bool force = false,
                    int64_t time = 5) {
    auto applied = maps_.Apply(live ? &live : nullptr, ConfigTree(config), manager, force, time);
    if (!applied) return applied.error().message;
    live = *std::move(applied);
    return "";
  }
  static std::string Config(std::string_view rest) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n")" +
           std::string(rest) + "}";
  }

  const FieldManager maps_{Resource("configmaps"), ""};
  const FieldManager pods_{Resource("pods"), ""};
  const FieldManager pod_status_{Resource("pods"), "status"};
};

TEST_F(FieldManagerTest, ACreatorOwnsWhatItCreated) {
  Doc pod = Object("pods", R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"nodeName":"n",
      "containers":[{"name":"c","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1"}}}]},
      "status":{"phase":"Running"}})");
  pods_.Update(nullptr, pod, "kubectl", 7);
  EXPECT_EQ(
      Managers(pod),
      (Entries{R"(kubectl Update 7 {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{)"
               R"("k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:ports":{".":{},)"
               R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},)"
               R"("f:resources":{".":{},"f:limits":{".":{},"f:cpu":{}}}}},"f:nodeName":{}}})"}));
}

TEST_F(FieldManagerTest, AnUpdateTakesOverWhatItChanges) {
  Doc was = Object("configmaps", R"({"metadata":{"name":"a","uid":"u"},"data":{"x":"1","y":"1"}})");
  maps_.Update(nullptr, was, "alice", 1);
  Doc now = was.Clone();
  now.root()
      ->slot(now.type().FindMember("data").field->ordinal)
      .map()
      ->Set("x", Value::String("2"), now.arena());
  maps_.Update(&was, now, "bob", 2);
  EXPECT_EQ(Managers(now), (Entries{R"(alice Update 1 {"f:data":{".":{},"f:y":{}}})",
                                    R"(bob Update 2 {"f:data":{"f:x":{}}})"}));
}

TEST_F(FieldManagerTest, AnUpdateThatChangesNothingKeepsEveryTime) {
  Doc was = Object("configmaps", R"({"metadata":{"name":"a","uid":"u"},"data":{"x":"1"}})");
  maps_.Update(nullptr, was, "alice", 1);
  Doc now = was.Clone();
  maps_.Update(&was, now, "alice", 2);
  EXPECT_EQ(Managers(now), Managers(was));
}

TEST_F(FieldManagerTest, AStatusWriteOwnsNothingOfTheSpec) {
  Doc was = Object("pods", R"({"metadata":{"name":"p","uid":"u"},"spec":{"containers":[{"name":"c"}]}})");
  pods_.Update(nullptr, was, "alice", 1);
  Doc now = Object("pods",
                   R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n","containers":[{"name":"c"}]},
      "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  pod_status_.Update(&was, now, "kubelet", 2);
  auto managers = Managers(now);
  ASSERT_EQ(managers.size(), 2u);
  EXPECT_EQ(managers[1],
            R"(kubelet/status Update 2 {"f:status":{"f:conditions":{".":{},"k:{\"type\":\"Ready\"}":{)"
            R"(".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},)"
            R"("f:phase":{}}})");
}

TEST_F(FieldManagerTest, AnEmptyListForgetsAllManagers) {
  Doc was = Object("configmaps", R"({"metadata":{"name":"a","uid":"u"},"data":{"x":"1"}})");
  maps_.Update(nullptr, was, "alice", 1);
  for (std::string_view fields : {"[]", "[{}]"}) {
    Doc now = Object("configmaps", R"({"metadata":{"name":"a","uid":"u","managedFields":)" +
                                       std::string(fields) + R"(},"data":{"x":"2"}})");
    maps_.Update(&was, now, "bob", 2);
    EXPECT_TRUE(Managers(now).empty()) << fields;
  }
}

TEST_F(FieldManagerTest, ManagersThatAreNotValidAreTakenFromTheLiveObject) {
  Doc was = Object("configmaps", R"({"metadata":{"name":"a","uid":"u"},"data":{"x":"1"}})");
  maps_.Update(nullptr, was, "alice", 1);
  Doc now = Object("configmaps", R"({"metadata":{"name":"a","uid":"u","managedFields":[{"operation":"Jump"}]},
      "data":{"x":"1"}})");
  maps_.Update(&was, now, "bob", 2);
  EXPECT_EQ(Managers(now), Managers(was));
}

TEST_F(FieldManagerTest, TheOldestUpdatersBecomeAncientChanges) {
  Doc map = Object("configmaps", R"({"metadata":{"name":"a","uid":"u"}})");
  map.root()->slot(map.type().FindMember("data").field->ordinal) =
      Value::Of(MapNode::New(nullptr, map.arena()));
  for (int i = 0; i < 12; ++i) {
    Doc now = map.Clone();
    std::string key = "k" + std::to_string(10 + i);
    now.root()
        ->slot(now.type().FindMember("data").field->ordinal)
        .map()
        ->Set(now.arena().CopyString(key), Value::String("v"), now.arena());
    maps_.Update(i == 0 ? nullptr : &map, now, "m" + std::to_string(10 + i), i);
    map = std::move(now);
  }
  auto managers = Managers(map);
  ASSERT_EQ(managers.size(), 10u);
  EXPECT_EQ(managers[0], R"(ancient-changes Update 2 {"f:data":{".":{},"f:k10":{},"f:k11":{},"f:k12":{}}})");
}

TEST_F(FieldManagerTest, ApplyCreatesAndOwnsWhatItSays) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice"), "");
  EXPECT_EQ(Managers(map), (Entries{R"(alice Apply 5 {"f:data":{"f:x":{}}})"}));
  EXPECT_THAT(Text(map), HasSubstr(R"("data":{"x":"1"})"));
}

TEST_F(FieldManagerTest, WhatIsAppliedNoMoreIsDropped) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(,"labels":{"l":"1"}},"data":{"x":"1","y":"1"})"), "alice"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice", false, 6), "");
  EXPECT_EQ(Managers(map), (Entries{R"(alice Apply 6 {"f:data":{"f:x":{}}})"}));
  EXPECT_EQ(Text(map).find("labels"), std::string::npos);
  EXPECT_THAT(Text(map), HasSubstr(R"("data":{"x":"1"})"));
}

TEST_F(FieldManagerTest, WhatAnotherManagerClaimsStaysWhenOneDropsIt) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1","y":"1"})"), "alice"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"y":"1"})"), "bob"), "");
  EXPECT_EQ(Apply(map, Config(R"(})"), "alice"), "");
  EXPECT_THAT(Text(map), HasSubstr(R"("data":{"y":"1"})"));
  // Bob changed nothing when he applied, so there is no time of a change.
  EXPECT_EQ(Managers(map), (Entries{R"(bob Apply 0 {"f:data":{"f:y":{}}})"}));
}

TEST_F(FieldManagerTest, AMapThatHasBecomeEmptyIsStillOwnedAsSuch) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{})"), "bob"), "");
  EXPECT_EQ(Apply(map, Config(R"(})"), "alice"), "");
  EXPECT_EQ(Managers(map), (Entries{R"(bob Apply 0 {"f:data":{}})"}));
}

TEST_F(FieldManagerTest, AMapThatOneManagerEmptiesIsNotTakenFromThoseWhoClaimItEmpty) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{})"), "bob"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{})"), "alice", false, 6), "");
  EXPECT_EQ(Managers(map), (Entries{R"(bob Apply 0 {"f:data":{}})", R"(alice Apply 6 {"f:data":{}})"}));
  // Now there is none, so that to set it is a change.
  EXPECT_THAT(Apply(map, Config(R"(},"data":{})"), "carol"), HasSubstr(".data"));
}

TEST_F(FieldManagerTest, WhatHoldsNothingButAnEmptiedMapStays) {
  Doc pod = Object("pods", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",
      "securityContext":{"capabilities":{"add":["A"]}}}]}})");
  pods_.Update(nullptr, pod, "alice", 1);
  const auto apply = [&](std::string_view rest) {
    auto applied = pods_.Apply(
        &pod,
        ConfigTree(
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c")" +
            std::string(rest) + "}]}}"),
        "bob", true, 2);
    ASSERT_TRUE(applied) << applied.error().message;
    pod = *std::move(applied);
  };
  apply(R"(,"securityContext":{"capabilities":{"add":["B"]}})");
  apply("");
  // alice still claims both, though not what was in them.
  EXPECT_THAT(Text(pod), HasSubstr(R"("securityContext":{})"));
}

TEST_F(FieldManagerTest, JsonThatNobodyLooksIntoIsComparedByItsValue) {
  const ResourceDesc& resource = *FindResource("resource.k8s.io", "v1", "deviceclasses");
  const FieldManager classes(resource, "");
  const auto apply = [&](const Doc* live, std::string_view raw, std::string_view manager) {
    const std::string text =
        R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"c"},)"
        R"("spec":{"config":[{"opaque":{"driver":"d","parameters":)" +
        std::string(raw) + "}}]}}";
    return classes.Apply(live, ConfigTree(text), manager, false, 1);
  };
  const auto live = apply(nullptr, R"({"b": 1, "a": 2})", "alice");
  ASSERT_TRUE(live);
  EXPECT_TRUE(apply(&*live, R"({"a":2,"b":1})", "bob"));
  EXPECT_FALSE(apply(&*live, R"({"a":2,"b":2})", "bob"));
}

TEST_F(FieldManagerTest, ASchemaOfEitherFormCanBeApplied) {
  const ResourceDesc& resource = *FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto applied =
      FieldManager(resource, "")
          .Apply(nullptr,
                 ConfigTree(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"c"},"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"a":{"items":{"type":"string"}},"b":{"additionalProperties":true}}}}}]}})"),
                 "alice", false, 1);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(Text(*applied), HasSubstr(R"("items":{"type":"string"})"));
  EXPECT_THAT(Text(*applied), HasSubstr(R"("additionalProperties":true)"));
}

TEST_F(FieldManagerTest, AZeroInAWholeListTakesTheListFromOthers) {
  const ResourceDesc& resource = *FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const FieldManager manager(resource, "");
  const auto config = [](std::string_view schema) {
    return ConfigTree(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"a"},"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":)" +
                      std::string(schema) + "}}]}}");
  };
  const auto one = manager.Apply(nullptr, config(R"({"type":"array"})"), "one", false, 1);
  ASSERT_TRUE(one);
  const auto same = manager.Apply(&*one, config(R"({"type":"array"})"), "two", true, 2);
  ASSERT_TRUE(same);
  EXPECT_EQ(Managers(*same).size(), 2u);
  // An object does not show it, but it was written.
  const auto zero = manager.Apply(&*one, config(R"({"type":"array","uniqueItems":false})"), "two", true, 2);
  ASSERT_TRUE(zero);
  EXPECT_EQ(Managers(*zero), (Entries{R"(two Apply 2 {"f:spec":{"f:versions":{}}})"}));
}

TEST_F(FieldManagerTest, AnEmptyListClaimsNothingButIsAChange) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice", false, 5), "");
  EXPECT_EQ(Apply(map, Config(R"(,"finalizers":[]},"data":{"x":"1"})"), "alice", false, 7), "");
  EXPECT_EQ(Managers(map), (Entries{R"(alice Apply 7 {"f:data":{"f:x":{}}})"}));

  Doc pod = Object("pods", R"({"metadata":{"name":"a","uid":"u"},"spec":{"nodeName":"n"}})");
  auto applied = pod_status_.Apply(
      &pod,
      ConfigTree(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"conditions":[]}})"),
      "alice", true, 5);
  ASSERT_TRUE(applied);
  EXPECT_THAT(Managers(*applied), testing::Not(testing::Contains(HasSubstr("alice"))));
}

TEST_F(FieldManagerTest, WhatJsonShowsAsNullCanBeTakenAway) {
  const FieldManager deployments(*FindResource("apps", "v1", "deployments"), "");
  const auto apply = [&](const Doc* live, std::string_view spec) {
    const std::string config =
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":)" + std::string(spec) +
        "}";
    return *deployments.Apply(live, ConfigTree(config), "alice", false, 5);
  };
  const Doc before = apply(nullptr, R"({"replicas":1,"selector":{"matchLabels":{"a":"b"}}})");
  EXPECT_THAT(Text(before), HasSubstr(R"("selector":{"matchLabels":{"a":"b"}})"));
  EXPECT_THAT(Text(apply(&before, R"({"replicas":1})")), HasSubstr(R"("selector":null)"));
}

TEST_F(FieldManagerTest, WhatWasShownAsNullHadNoMembers) {
  const ResourceDesc& groups = *FindResource("scheduling.k8s.io", "v1alpha2", "podgroups");
  Doc group = Object(groups, R"({"metadata":{"name":"g"},"spec":{"podGroupTemplateRef":{"workload":{
      "workloadName":"w","podGroupTemplateName":"t"}},"schedulingPolicy":{"gang":{"minCount":2}}}})");
  FieldManager(groups, "").Update(nullptr, group, "one", 1);
  EXPECT_EQ(Managers(group),
            (Entries{R"(one Update 1 {"f:spec":{"f:podGroupTemplateRef":{"f:workload":{".":{},)"
                     R"("f:podGroupTemplateName":{},"f:workloadName":{}}},)"
                     R"("f:schedulingPolicy":{"f:gang":{".":{},"f:minCount":{}}}}})"}));
}

TEST_F(FieldManagerTest, ApplyingTheSameAgainChangesNothing) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice", false, 5), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1"})"), "alice", false, 9), "");
  EXPECT_EQ(Managers(map), (Entries{R"(alice Apply 5 {"f:data":{"f:x":{}}})"}));
}

TEST_F(FieldManagerTest, ConflictsNameTheManagerAndTheField) {
  Doc map;
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"1","y":"1"})"), "alice"), "");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"2"})"), "bob"),
            R"(Apply failed with 1 conflict: conflict with "alice": .data.x)");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"2","y":"2"})"), "bob"),
            "Apply failed with 2 conflicts: conflicts with \"alice\":\n- .data.x\n- .data.y");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"2"})"), "bob", true), "");
  EXPECT_EQ(Managers(map),
            (Entries{R"(alice Apply 5 {"f:data":{"f:y":{}}})", R"(bob Apply 5 {"f:data":{"f:x":{}}})"}));
}

TEST_F(FieldManagerTest, ConflictsBeyondAMegabyteAreCounted) {
  constexpr size_t kConflicts = 20'000;
  const auto config = [](const std::string& value) {
    std::string data;
    for (size_t i = 0; i < kConflicts; ++i)
      data += (i == 0 ? "\"" : ",\"") + std::string(100, 'k') + std::to_string(i) + "\":\"" + value + "\"";
    return Config(R"(},"data":{)" + data + "}");
  };
  Doc map;
  ASSERT_EQ(Apply(map, config("1"), "alice"), "");
  const auto refused = maps_.Apply(&map, ConfigTree(config("2")), "bob", false, 5);
  ASSERT_FALSE(refused);
  const Status& status = refused.error();
  EXPECT_EQ(status.code, 409);
  const auto& causes = status.details->causes;
  ASSERT_LT(causes.size(), kConflicts);
  const std::string rest = std::to_string(kConflicts - (causes.size() - 1)) + " more conflicts are not shown";
  EXPECT_EQ(causes.back().message, rest);
  EXPECT_THAT(status.message,
              testing::StartsWith("Apply failed with 20000 conflicts: conflicts with \"alice\":\n- "));
  EXPECT_THAT(status.message, testing::EndsWith("\n" + rest));
  size_t bytes = status.message.size();
  for (const StatusCause& cause : causes)
    bytes += cause.reason.size() + cause.message.size() + cause.field.size();
  EXPECT_LT(bytes, 2 * field::ErrorList::kMostBytes);
  EXPECT_GT(bytes, field::ErrorList::kMostBytes / 2);
  EXPECT_EQ(Apply(map, config("2"), "bob", true), "");
}

TEST_F(FieldManagerTest, AnUntrackedObjectGetsAnOwnerBeforeItsFirstApply) {
  Doc map = Object("configmaps",
                   R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u"},
      "data":{"x":"1"}})");
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"2"})"), "bob"),
            R"(Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x)");
}

TEST_F(FieldManagerTest, KubectlTakesOverWhatClientSideApplySet) {
  const std::string last =
      R"({\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"1\"}})";
  Doc map = Object("configmaps",
                   R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u",
      "annotations":{"kubectl.kubernetes.io/last-applied-configuration":")" +
                       last + R"("}},"data":{"x":"1"}})");
  maps_.Update(nullptr, map, "kubectl-client-side-apply", 1);
  Doc other = map.Clone();
  EXPECT_THAT(Apply(other, Config(R"(},"data":{"x":"2"})"), "else"),
              HasSubstr("conflict with \"kubectl-client-side-apply\" using v1"));
  EXPECT_EQ(Apply(map, Config(R"(},"data":{"x":"2"})"), "kubectl"), "");
  EXPECT_THAT(Text(map), HasSubstr(R"(\"data\":{\"x\":\"2\"})"));
}

TEST_F(FieldManagerTest, ListsAreMergedByTheirKeysInTheOrderOfTheConfiguration) {
  Doc pod;
  auto apply = [&](std::string_view manager, std::string_view containers) {
    std::string config = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[)" +
                         std::string(containers) + "]}}";
    auto applied = pods_.Apply(pod ? &pod : nullptr, ConfigTree(config), manager, false, 1);
    ASSERT_TRUE(applied) << applied.error().message;
    pod = *std::move(applied);
  };
  apply("alice", R"({"name":"a","image":"1"},{"name":"b","image":"1"})");
  apply("bob", R"({"name":"c"},{"name":"b","env":[{"name":"E","value":"1"}]},{"name":"a"})");
  EXPECT_THAT(Text(pod),
              HasSubstr(R"("containers":[{"name":"c","resources":{}},{"name":"b","image":"1",)"
                        R"("env":[{"name":"E","value":"1"}],"resources":{}},{"name":"a","image":"1")"));
}

TEST_F(FieldManagerTest, ConfigurationsMustFitTheSchema) {
  Doc map;
  EXPECT_EQ(
      Apply(map, Config(R"(},"foo":1)"), "alice"),
      "failed to create typed patch object (n/a; /v1, Kind=ConfigMap): .foo: field not declared in schema");
  EXPECT_EQ(Apply(map, Config(R"(},"data":5)"), "alice"),
            "failed to create typed patch object (n/a; /v1, Kind=ConfigMap): .data: expected map, got &{5}");
  const auto applied = pods_.Apply(
      nullptr,
      ConfigTree(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a",
                           "ports":[{"containerPort":1,"protocol":"TCP","x":2}]}]}})"),
      "alice", false, 1);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().message,
            "failed to create typed patch object (/p; /v1, Kind=Pod): .spec.containers[name=\"a\"]"
            ".ports[containerPort=1,protocol=\"TCP\"].x: field not declared in schema");
  EXPECT_EQ(Apply(map, R"({"apiVersion":"v2","kind":"ConfigMap"})", "alice"),
            "invalid object type: /v2, Kind=ConfigMap");
  EXPECT_EQ(Apply(map, Config(R"(,"managedFields":[]})"), "alice"), "metadata.managedFields must be nil");
}

TEST(ManagerFromUserAgentTest, IsWhatStandsBeforeTheSlash) {
  EXPECT_EQ(ManagerFromUserAgent("kubectl/v1.36 (linux)"), "kubectl");
  EXPECT_EQ(ManagerFromUserAgent("a\tb c"), "ab c");
  EXPECT_EQ(ManagerFromUserAgent(std::string(200, 'x')).size(), 128u);
  EXPECT_EQ(ManagerFromUserAgent(""), "");
}

// ---- versions

TEST_F(FieldManagerTest, AManagerOwnsFieldsOfTheVersionItWroteIn) {
  const ResourceDesc& v1 = *FindResource("autoscaling", "v1", "horizontalpodautoscalers");
  const ResourceDesc& v2 = *FindResource("autoscaling", "v2", "horizontalpodautoscalers");
  Doc first = Object(
      v1,
      R"({"metadata":{"name":"h"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3,"targetCPUUtilizationPercentage":50}})");
  FieldManager(v1, "").Update(nullptr, first, "one", 1);
  EXPECT_EQ(Managers(first), (Entries{R"(one Update 1 {"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{},)"
                                      R"("f:targetCPUUtilizationPercentage":{}}})"}));

  // The same object in the other version, with another target.
  const Doc live = Convert(first.Clone(), *v2.type, {"autoscaling", "v2"}, v2.kind);
  Doc now = live.Clone();
  autoscaling_v2::HorizontalPodAutoscalerEditor editor(now);
  editor.mutable_spec().edit_metrics()[0].mutable_resource().mutable_target().set_average_utilization(60);
  FieldManager(v2, "").Update(&live, now, "two", 2);
  EXPECT_EQ(Managers(now), (Entries{R"(one Update 1 {"f:spec":{"f:maxReplicas":{},"f:scaleTargetRef":{}}})",
                                    R"(two Update 2 {"f:spec":{"f:metrics":{}}})"}));
}

// Comparing each with each, and copying what was merged for each, would take minutes and gigabytes.
TEST_F(FieldManagerTest, ManagersByTheTenThousandBecomeTen) {
  std::string entries;
  for (int i = 0; i < 40'000; ++i)
    entries += std::string(i == 0 ? "" : ",") + R"({"manager":"m)" + std::to_string(i) +
               R"(","operation":"Update","apiVersion":"v1","time":"2020-01-01T00:00:00Z",)"
               R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k)" +
               std::to_string(i) + R"(":{}}}})";
  Doc now = Object("configmaps", R"({"metadata":{"name":"a","managedFields":[)" + entries + "]}}");
  maps_.Update(nullptr, now, "m", 5);
  const auto managers = Managers(now);
  ASSERT_EQ(managers.size(), 10u);
  EXPECT_TRUE(managers[0].starts_with("ancient-changes Update")) << managers[0].substr(0, 100);
  EXPECT_GT(managers[0].size(), 300'000u);
}

TEST_F(FieldManagerTest, KeysThatAreAppliedBetweenOthersAreMergedAtOnce) {
  const auto config = [](int first) {
    std::string data;
    for (int i = first; i < 120'000; i += 2)
      data += (data.empty() ? "\"" : ",\"") + std::to_string(1'000'000 + i) + "\":\"\"";
    return Config(R"(},"data":{)" + data + "}");
  };
  Doc live;
  EXPECT_EQ(Apply(live, config(0), "a"), "");
  EXPECT_EQ(Apply(live, config(1), "b"), "");
  const std::string text = Text(live);
  EXPECT_NE(text.find(R"("1000000":"","1000001":"","1000002":"")"), text.npos);
}

}  // namespace
}  // namespace keelson::api::managed_fields
