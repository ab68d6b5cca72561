#include "storage/object_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

using api::protobuf::FindBytes;

ObjectPtr MakeOf(std::string_view plural, std::string_view kind, std::string_view key, std::string_view json,
                 Revision revision = 7) {
  const auto& resource = ResourceNamed(plural);
  ObjectFactory factory(resource, "/registry/" + std::string(plural));
  auto made = factory.Make("/registry/" + std::string(plural) + "/" + std::string(key),
                           Stored(kind, json).view(), 3, revision);
  EXPECT_TRUE(made) << made.error().detail;
  return *made;
}

std::string FieldOf(const Object& object, std::string_view plural, std::string_view field) {
  const auto& fields = ResourceNamed(plural).selectable_fields;
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i] == field) return std::string(object.field(i));
  return "no such field";
}

TEST(ObjectFactoryTest, KeepsWhatSelectorsNeed) {
  auto pod = MakeOf("pods", "Pod", "default/a",
                    R"({"metadata":{"name":"a","namespace":"default","uid":"u-1","labels":{"b":"2","a":"1"}},
                        "spec":{"nodeName":"n1","hostNetwork":true,"serviceAccountName":"sa"},
                        "status":{"phase":"Running","podIP":"10.0.0.1"}})");
  EXPECT_EQ(pod->key(), "/registry/pods/default/a");
  EXPECT_EQ(pod->ns(), "default");
  EXPECT_EQ(pod->name(), "a");
  EXPECT_EQ(pod->uid(), "u-1");
  EXPECT_EQ(pod->revision(), 7);
  EXPECT_EQ(pod->create_revision(), 3);
  ASSERT_EQ(pod->label_count(), 2u);
  EXPECT_EQ(pod->label(0), std::make_pair(std::string_view("a"), std::string_view("1")));
  EXPECT_EQ(pod->FindLabel("b"), "2");
  EXPECT_EQ(pod->FindLabel("c"), std::nullopt);
  EXPECT_EQ(FieldOf(*pod, "pods", "spec.nodeName"), "n1");
  EXPECT_EQ(FieldOf(*pod, "pods", "spec.hostNetwork"), "true");
  EXPECT_EQ(FieldOf(*pod, "pods", "spec.serviceAccountName"), "sa");
  EXPECT_EQ(FieldOf(*pod, "pods", "status.phase"), "Running");
  EXPECT_EQ(FieldOf(*pod, "pods", "status.podIP"), "10.0.0.1");
}

TEST(ObjectFactoryTest, StoredJsonIsTheSameObject) {
  constexpr std::string_view kJson =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u-1"},)"
      R"("spec":{"nodeName":"n1","unheardOf":1}})";
  ObjectFactory factory(ResourceNamed("pods"), "/registry/pods");
  auto from_json = factory.Make("/registry/pods/default/a", kJson, 3, 7);
  ASSERT_TRUE(from_json) << from_json.error().detail;
  EXPECT_EQ((*from_json)->bytes(), MakeOf("pods", "Pod", "default/a", kJson)->bytes());
  EXPECT_EQ(FieldOf(**from_json, "pods", "spec.nodeName"), "n1");
  EXPECT_EQ(factory.Make("/registry/pods/default/a", "{\"metadata\":", 3, 7).error().code, Code::kCorrupt);
}

TEST(ObjectFactoryTest, AbsentFieldsReadAsGosZero) {
  auto pod = MakeOf("pods", "Pod", "default/a", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(FieldOf(*pod, "pods", "spec.hostNetwork"), "false");
  EXPECT_EQ(FieldOf(*pod, "pods", "spec.nodeName"), "");
  auto rc =
      MakeOf("replicationcontrollers", "ReplicationController", "default/a", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(FieldOf(*rc, "replicationcontrollers", "status.replicas"), "0");
}

TEST(ObjectFactoryTest, DerivesFieldsThatAreNoPath) {
  auto event = MakeOf("events", "Event", "default/e",
                      R"({"metadata":{"name":"e"},"source":{"component":"kubelet"},"reportingComponent":"r",
                          "involvedObject":{"kind":"Pod"}})");
  EXPECT_EQ(FieldOf(*event, "events", "source"), "kubelet");
  EXPECT_EQ(FieldOf(*event, "events", "reportingComponent"), "r");
  EXPECT_EQ(FieldOf(*event, "events", "involvedObject.kind"), "Pod");
  auto other =
      MakeOf("events", "Event", "default/e", R"({"metadata":{"name":"e"},"reportingComponent":"r"})");
  EXPECT_EQ(FieldOf(*other, "events", "source"), "r");
  auto rc = MakeOf("replicationcontrollers", "ReplicationController", "default/a",
                   R"({"metadata":{"name":"a"},"status":{"replicas":12}})");
  EXPECT_EQ(FieldOf(*rc, "replicationcontrollers", "status.replicas"), "12");
}

TEST(ObjectFactoryTest, ClusterScopedObjectsHaveNoNamespace) {
  auto node = MakeOf("nodes", "Node", "n1", R"({"metadata":{"name":"n1"},"spec":{"unschedulable":true}})");
  EXPECT_EQ(node->ns(), "");
  EXPECT_EQ(node->name(), "n1");
  EXPECT_EQ(FieldOf(*node, "nodes", "spec.unschedulable"), "true");
}

TEST(ObjectFactoryTest, TheBytesCarryTheRevision) {
  auto pod =
      MakeOf("pods", "Pod", "default/a", R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"}})", 123456);
  EXPECT_EQ(FindBytes(pod->message(), {1, 6}), "123456");
  auto envelope = api::protobuf::ParseEnvelope(pod->bytes());
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->raw, pod->message());
  EXPECT_EQ(envelope->kind, "Pod");
}

TEST(ObjectFactoryTest, AtRevisionChangesNothingElse) {
  ObjectFactory factory(ResourceNamed("pods"), "/registry/pods");
  const auto stored = StoredPod({.name = "a", .uid = "u", .node = "n", .labels = {{"x", "y"}}});
  auto pod = *factory.Make("/registry/pods/default/a", stored.view(), 3, 9);
  auto later = factory.AtRevision(*pod, 1000);
  EXPECT_EQ(later->revision(), 1000);
  EXPECT_EQ(later->create_revision(), 3);
  EXPECT_EQ(later->FindLabel("x"), "y");
  EXPECT_EQ(FindBytes(later->message(), {1, 6}), "1000");
  EXPECT_TRUE(SameContent(*later, stored.view()));
  EXPECT_FALSE(SameContent(*later, StoredPod({.name = "a", .uid = "u", .node = "m"}).view()));
}

TEST(ObjectFactoryTest, RefusesWhatIsNoObject) {
  ObjectFactory factory(ResourceNamed("pods"), "/registry/pods");
  const std::string good(StoredPod({.name = "a", .labels = {{"x", "y"}}}).view());
  EXPECT_EQ(factory.Make("/registry/pods/default/a", "{}", 1, 1).error().code, Code::kCorrupt);
  EXPECT_EQ(factory.Make("/registry/podsx", good, 1, 1).error().code, Code::kCorrupt);
  // Cut anywhere, it is refused or read; never read past its end (the sanitizers watch).
  for (size_t n = 0; n < good.size(); ++n) {
    const std::string cut = good.substr(0, n);
    auto made = factory.Make("/registry/pods/default/a", cut, 1, 1);
    EXPECT_TRUE(!made || (*made)->key() == "/registry/pods/default/a");
  }
}

TEST(ObjectFactoryTest, CostsLittleBesidesTheBytes) {
  ObjectFactory factory(ResourceNamed("pods"), "/registry/pods");
  const auto stored = StoredPod({.name = "a-pod-with-a-usual-name-7d9f8",
                                 .node = "node-1",
                                 .phase = "Running",
                                 .labels = {{"app", "web"}, {"pod-template-hash", "abc"}},
                                 .padding = 2000});
  auto pod = *factory.Make("/registry/pods/default/a-pod-with-a-usual-name-7d9f8", stored.view(), 1, 1);
  EXPECT_LT(pod->memory_bytes(), stored.size() + 350);
}

}  // namespace
}  // namespace keelson::storage
