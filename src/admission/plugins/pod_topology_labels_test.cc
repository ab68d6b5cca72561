#include "admission/plugins/pod_topology_labels.h"

#include <gtest/gtest.h>

#include "admission/testing/fakes.h"

namespace keelson::admission {
namespace {

class PodTopologyLabelsTest : public testing::Test {
 protected:
  PodTopologyLabelsTest() {
    objects_.Add("", "nodes", R"({"metadata":{"name":"plain","labels":{"a":"b"}}})");
    objects_.Add("", "nodes", R"({"metadata":{"name":"placed","labels":{
        "topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r",
        "topology.kubernetes.io/rack":"k","failure-domain.beta.kubernetes.io/zone":"old"}}})");
  }

  static std::string LabelsOf(const api::Doc& doc) {
    std::string labels;
    for (const auto& [key, value] : api::MetadataOf(doc).labels())
      labels.append(labels.empty() ? "" : " ").append(key).append("=").append(value.string());
    return labels;
  }
  // The labels of a pod on `node` that is created with `labels`.
  std::string OfPod(const std::string& node, const std::string& labels = "{}") {
    Write write(
        "", "pods",
        R"({"metadata":{"name":"p","labels":)" + labels + R"(},"spec":{"nodeName":")" + node + R"("}})");
    EXPECT_TRUE(write.Mutate(plugin_));
    return LabelsOf(write.object());
  }
  std::string OfBinding(const std::string& kind, const std::string& node) {
    Write write("", "bindings",
                R"({"metadata":{"name":"p"},"target":{"kind":")" + kind + R"(","name":")" + node + R"("}})");
    Attributes request = write.request();
    request.resource = &Resource("", "pods");
    request.subresource = "binding";
    EXPECT_TRUE(plugin_.ConcernWith(*request.resource, "binding").mutates);
    EXPECT_TRUE(base::SyncWait(plugin_.Mutate(request)));
    return LabelsOf(write.object());
  }

  static constexpr std::string_view kPlaced = "topology.kubernetes.io/region=r topology.kubernetes.io/zone=z";

  FakeObjects objects_;
  const PodTopologyLabels plugin_{objects_};
};

TEST_F(PodTopologyLabelsTest, APodOnANodeGetsItsZoneAndRegionAndNoOtherLabel) {
  EXPECT_EQ(OfPod("placed"), kPlaced);
  EXPECT_EQ(OfPod("plain"), "");
}

TEST_F(PodTopologyLabelsTest, LabelsOfThePodAreOverwritten) {
  EXPECT_EQ(OfPod("placed", R"({"a":"b","topology.kubernetes.io/zone":"mine"})"),
            "a=b topology.kubernetes.io/region=r topology.kubernetes.io/zone=z");
  EXPECT_EQ(OfPod("plain", R"({"topology.kubernetes.io/zone":"mine"})"), "topology.kubernetes.io/zone=mine");
}

TEST_F(PodTopologyLabelsTest, WithoutANodeNothingChanges) {
  EXPECT_EQ(OfPod(""), "");
  EXPECT_EQ(OfPod("unknown", R"({"a":"b"})"), "a=b");
}

TEST_F(PodTopologyLabelsTest, ABindingCarriesTheLabelsOfItsNode) {
  EXPECT_EQ(OfBinding("Node", "placed"), kPlaced);
  EXPECT_EQ(OfBinding("Node", "unknown"), "");
  EXPECT_EQ(OfBinding("Machine", "placed"), "");
}

TEST_F(PodTopologyLabelsTest, UpdatesAndOtherWritesAreNotItsConcern) {
  constexpr std::string_view kPod = R"({"metadata":{"name":"p"},"spec":{"nodeName":"placed"}})";
  Write write("", "pods", kPod, kPod);
  EXPECT_TRUE(write.Mutate(plugin_));
  EXPECT_EQ(LabelsOf(write.object()), "");
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "pods"), "status").mutates);
  EXPECT_FALSE(plugin_.ConcernWith(Resource("", "bindings"), "").mutates);
}

TEST_F(PodTopologyLabelsTest, ANodeThatCannotBeReadIsAnError) {
  objects_.At("", "nodes").fails = true;
  Write write("", "pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"placed"}})");
  EXPECT_FALSE(write.Mutate(plugin_));
}

}  // namespace
}  // namespace keelson::admission
