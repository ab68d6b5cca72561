#include "api/conversion/conversion.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/random_document.h"

namespace keelson::api {
namespace {

Doc FromJson(std::string_view text, const TypeDesc& type) {
  Arena arena;
  auto root = json::Decode(arena.CopyString(text), type, arena, nullptr);
  EXPECT_TRUE(root) << text;
  return Doc(std::move(arena), *root);
}

std::string ToJson(const Doc& doc) {
  base::BufferBuilder out;
  json::Encode(*doc.root(), out);
  return std::string(out.view());
}

const ResourceDesc& Resource(std::string_view group, std::string_view version, std::string_view plural) {
  return *FindResource(group, version, plural);
}
const ResourceDesc& HpaV1() { return Resource("autoscaling", "v1", "horizontalpodautoscalers"); }
const ResourceDesc& NewEvents() { return Resource("events.k8s.io", "v1", "events"); }

// What a document of the served version is when it is stored.
std::string Stored(std::string_view text, const ResourceDesc& resource) {
  return ToJson(ToStored(FromJson(text, *resource.type), resource));
}
std::string Served(std::string_view text, const ResourceDesc& resource) {
  return ToJson(ToServed(FromJson(text, *resource.storage_type), resource));
}
// The same members in the order of the type.
std::string Same(std::string_view text, const TypeDesc& type) { return ToJson(FromJson(text, type)); }

TEST(ConversionTest, OnlyTheResourcesThatAreStoredOtherwiseAreConverted) {
  for (const ResourceDesc& resource : BuiltinResources()) {
    const ResourceDesc& stored = StoredResource(resource);
    EXPECT_EQ(&stored == &resource, !resource.IsConverted()) << resource.plural;
    EXPECT_EQ(stored.storage_prefix, resource.storage_prefix);
  }
  EXPECT_TRUE(HpaV1().IsConverted());
  EXPECT_TRUE(Resource("resource.k8s.io", "v1beta1", "resourceclaims").IsConverted());
  EXPECT_FALSE(Resource("coordination.k8s.io", "v1beta1", "leasecandidates").IsConverted());
}

// Devices of v1beta1 are another matter: an empty request and none are the same there.
TEST(ConversionTest, NothingOfAPreviewIsLost) {
  size_t compared = 0;
  for (const ResourceDesc& resource : BuiltinResources()) {
    const bool devices = resource.group == "resource.k8s.io" && resource.version == "v1beta1";
    if (!resource.IsConverted() || resource.version == "v1" || devices) continue;
    SCOPED_TRACE(std::string(resource.version) + " " + std::string(resource.plural));
    ++compared;
    const std::string version =
        std::string(resource.storage_version.group) + "/" + std::string(resource.storage_version.version);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Arena arena;
      StructNode* const root = RandomDocument(seed, arena).Struct(*resource.storage_type);
      root->slot(0) = Value::String(resource.kind);
      root->slot(1) = Value::String(version);
      Doc doc(std::move(arena), root);
      const std::string before = ToJson(doc);
      EXPECT_EQ(ToJson(ToStored(ToServed(std::move(doc), resource), resource)), before);
    }
  }
  EXPECT_GT(compared, 10u);
}

TEST(ConversionTest, ARequestForDevicesIsExactOrHasAlternatives) {
  const ResourceDesc& claims = Resource("resource.k8s.io", "v1beta1", "resourceclaims");
  const TypeDesc& v1 = *claims.storage_type;
  constexpr std::string_view kStored = R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1",
      "metadata":{},"spec":{"devices":{"requests":[
        {"name":"a","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":2}},
        {"name":"b","firstAvailable":[{"name":"x","deviceClassName":"c"}]}]}}})";
  constexpr std::string_view kServed = R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1",
      "metadata":{},"spec":{"devices":{"requests":[
        {"name":"a","deviceClassName":"c","allocationMode":"ExactCount","count":2},
        {"name":"b","firstAvailable":[{"name":"x","deviceClassName":"c"}]}]}}})";
  EXPECT_EQ(Stored(kServed, claims), Same(kStored, v1));
  EXPECT_EQ(Served(kStored, claims), Same(kServed, *claims.type));
  // Empty fields make no exact request.
  EXPECT_EQ(
      Stored(
          R"({"metadata":{},"spec":{"devices":{"requests":[{"name":"a","deviceClassName":"","count":0}]}}})",
          claims),
      Same(R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{},
                     "spec":{"devices":{"requests":[{"name":"a"}]}}})",
           v1));
}

TEST(ConversionTest, ADeviceIsDescribedInAStructOfItsOwnInV1Beta1) {
  const ResourceDesc& slices = Resource("resource.k8s.io", "v1beta1", "resourceslices");
  constexpr std::string_view kStored = R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1",
      "metadata":{},"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"allNodes":true,
      "devices":[{"name":"a","capacity":{"m":{"value":"1"}}},{"name":"b"}]}})";
  constexpr std::string_view kServed = R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1beta1",
      "metadata":{},"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"allNodes":true,
      "devices":[{"name":"a","basic":{"capacity":{"m":{"value":"1"}}}},{"name":"b","basic":{}}]}})";
  EXPECT_EQ(Served(kStored, slices), Same(kServed, *slices.type));
  EXPECT_EQ(Stored(kServed, slices), Same(kStored, *slices.storage_type));
}

TEST(ConversionTest, AnEventHasTwoSetsOfNames) {
  EXPECT_EQ(Stored(R"({"metadata":{"name":"a"},"eventTime":"2024-01-02T03:04:05.000006Z",
                       "series":{"count":2,"lastObservedTime":"2024-01-02T03:04:05.000007Z"},
                       "reportingController":"c","reportingInstance":"i","action":"act","reason":"r",
                       "regarding":{"kind":"Pod","name":"p"},"related":{"name":"q"},"note":"n","type":"Normal",
                       "deprecatedSource":{"component":"k"},"deprecatedFirstTimestamp":"2024-01-01T00:00:00Z",
                       "deprecatedLastTimestamp":"2024-01-01T00:00:01Z","deprecatedCount":7})",
                   NewEvents()),
            Same(R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"a"},
                     "involvedObject":{"kind":"Pod","name":"p"},"reason":"r","message":"n",
                     "source":{"component":"k"},"firstTimestamp":"2024-01-01T00:00:00Z",
                     "lastTimestamp":"2024-01-01T00:00:01Z","count":7,"type":"Normal",
                     "eventTime":"2024-01-02T03:04:05.000006Z",
                     "series":{"count":2,"lastObservedTime":"2024-01-02T03:04:05.000007Z"},"action":"act",
                     "related":{"name":"q"},"reportingComponent":"c","reportingInstance":"i"})",
                 *NewEvents().storage_type));
}

TEST(ConversionTest, NothingOfAnEventIsLost) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Arena arena;
    StructNode* root = RandomDocument(seed, arena).Struct(*NewEvents().storage_type);
    Doc event(std::move(arena), root);
    event.root()->slot(0) = Value::String("Event");
    event.root()->slot(1) = Value::String("v1");
    const std::string before = ToJson(event);
    EXPECT_EQ(ToJson(ToStored(ToServed(std::move(event), NewEvents()), NewEvents())), before);
  }
}

TEST(ConversionTest, CpuUtilizationIsAFieldOfV1AndAMetricOfV2) {
  EXPECT_EQ(Stored(R"({"metadata":{"name":"a"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},
                       "maxReplicas":3,"targetCPUUtilizationPercentage":60},
                       "status":{"currentReplicas":1,"desiredReplicas":2,"currentCPUUtilizationPercentage":50}})",
                   HpaV1()),
            Same(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"a"},
                     "spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3,
                     "metrics":[{"type":"Resource","resource":{"name":"cpu","target":
                       {"type":"Utilization","averageUtilization":60}}}]},
                     "status":{"currentReplicas":1,"desiredReplicas":2,"currentMetrics":[{"type":"Resource",
                       "resource":{"name":"cpu","current":{"averageUtilization":50}}}]}})",
                 *HpaV1().storage_type));
}

TEST(ConversionTest, WithoutAnyMetricV1MeansEightyPercentOfTheCpu) {
  const std::string stored =
      Stored(R"({"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3}})", HpaV1());
  EXPECT_NE(stored.find(R"("averageUtilization":80)"), stored.npos) << stored;
}

TEST(ConversionTest, WhatV1HasNoFieldForTravelsInAnnotations) {
  constexpr std::string_view v2 = R"({"metadata":{"name":"a","annotations":{"keep":"x",
      "autoscaling.alpha.kubernetes.io/metrics":"stale"}},
      "spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3,
        "metrics":[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}},
                   {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}],
        "behavior":{"scaleUp":{"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":60}]}}},
      "status":{"desiredReplicas":2,"currentMetrics":[{"type":"External","external":{"metric":{"name":"e"},
        "current":{"value":"3"}}}],"conditions":[{"type":"AbleToScale","status":"True"}]}})";
  EXPECT_EQ(
      Served(v2, HpaV1()),
      Same(
          R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"a","annotations":{
        "autoscaling.alpha.kubernetes.io/behavior":
          "{\"ScaleUp\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":60}],\"Tolerance\":null},\"ScaleDown\":null}",
        "autoscaling.alpha.kubernetes.io/conditions":
          "[{\"type\":\"AbleToScale\",\"status\":\"True\",\"lastTransitionTime\":null}]",
        "autoscaling.alpha.kubernetes.io/current-metrics":
          "[{\"type\":\"External\",\"external\":{\"metricName\":\"e\",\"currentValue\":\"3\"}}]",
        "autoscaling.alpha.kubernetes.io/metrics":
          "[{\"type\":\"Pods\",\"pods\":{\"metricName\":\"m\",\"targetAverageValue\":\"5\"}}]","keep":"x"}},
        "spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3,"targetCPUUtilizationPercentage":70},
        "status":{"currentReplicas":0,"desiredReplicas":2}})",
          *HpaV1().type));
  // And back: nothing is lost, and nothing of the way is left.
  const std::string back = ToJson(ToStored(ToServed(FromJson(v2, *HpaV1().storage_type), HpaV1()), HpaV1()));
  Doc expected = FromJson(v2, *HpaV1().storage_type);
  const auto annotations = expected.root()->slot(2).node()->type->FindMember("annotations").field->ordinal;
  expected.root()->slot(2).node()->slot(annotations).map()->Erase("autoscaling.alpha.kubernetes.io/metrics");
  expected.root()->slot(0) = Value::String("HorizontalPodAutoscaler");
  expected.root()->slot(1) = Value::String("autoscaling/v2");
  EXPECT_EQ(back, ToJson(expected));
}

TEST(ConversionTest, AnAnnotationThatDoesNotParseIsDropped) {
  const std::string stored = Stored(
      R"({"metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/behavior":"{","autoscaling.alpha.kubernetes.io/metrics":"7"}},
          "spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3}})",
      HpaV1());
  EXPECT_EQ(stored.find("annotations"), stored.npos) << stored;
}

}  // namespace
}  // namespace keelson::api
