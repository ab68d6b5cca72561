#include "api/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/types/resource_desc.h"

namespace keelson::api {
namespace {

// The merged object's JSON, or the error.
std::string Merged(std::string_view type, std::string_view document, std::string_view patch,
                   std::vector<std::string>* unknown = nullptr) {
  Doc doc;
  Arena arena;
  auto root = json::Decode(document, *FindType(type), arena, nullptr);
  EXPECT_TRUE(root) << root.error().message;
  auto tree = json::DecodeAny(patch, arena);
  EXPECT_TRUE(tree && tree->map()) << patch;
  auto merged = StrategicMerge(**root, *tree->map(), arena, unknown);
  if (!merged) return "error: " + merged.error().message;
  base::BufferBuilder out;
  json::Encode(**root, out);
  return std::string(out.view());
}

std::string MergedSpec(std::string_view document, std::string_view patch) {
  return Merged("core_v1.PodSpec", document, patch);
}
std::string MergedMeta(std::string_view document, std::string_view patch) {
  return Merged("meta_v1.ObjectMeta", document, patch);
}

TEST(StrategicMergeTest, ScalarsReplaceAndNullRemoves) {
  EXPECT_EQ(
      MergedSpec(R"({"containers":[],"nodeName":"a","hostname":"h"})", R"({"nodeName":"b","hostname":null})"),
      R"({"containers":[],"nodeName":"b"})");
}

TEST(StrategicMergeTest, ListsWithAMergeKeyAreMergedByIt) {
  EXPECT_EQ(
      MergedSpec(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
                 R"({"containers":[{"name":"c","image":"3"},{"name":"b","image":"2"}]})"),
      R"({"containers":[{"name":"c","image":"3","resources":{}},{"name":"a","image":"1","resources":{}},)"
      R"({"name":"b","image":"2","resources":{}}]})");
}

TEST(StrategicMergeTest, ListsWithoutAStrategyAreReplaced) {
  EXPECT_EQ(Merged("core_v1.Container", R"({"name":"a","args":["1","2"]})", R"({"args":["3"]})"),
            R"({"name":"a","args":["3"],"resources":{}})");
}

TEST(StrategicMergeTest, AnElementIsDeletedByItsKey) {
  EXPECT_EQ(MergedSpec(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                       R"({"containers":[{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b","resources":{}}]})");
}

TEST(StrategicMergeTest, ReplaceTakesTheListAsItIs) {
  EXPECT_EQ(MergedSpec(R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})",
                       R"({"containers":[{"$patch":"replace"},{"name":"a"}]})"),
            R"({"containers":[{"name":"a","resources":{}}]})");
}

TEST(StrategicMergeTest, StructsAreReplacedAndDeletedByDirective) {
  EXPECT_EQ(MergedSpec(R"({"containers":[],"securityContext":{"runAsUser":1}})",
                       R"({"securityContext":{"$patch":"replace","runAsGroup":2}})"),
            R"({"containers":[],"securityContext":{"runAsGroup":2}})");
  EXPECT_EQ(MergedSpec(R"({"containers":[],"securityContext":{"runAsUser":1}})",
                       R"({"securityContext":{"$patch":"delete"}})"),
            R"({"containers":[],"securityContext":{}})");
  EXPECT_EQ(MergedSpec(R"({"containers":[]})", R"({"securityContext":{"$patch":"jump"}})"),
            R"({"containers":[]})");
  EXPECT_EQ(
      MergedSpec(R"({"containers":[],"securityContext":{}})", R"({"securityContext":{"$patch":"jump"}})"),
      "error: unknown patch type: jump in map: map[$patch:jump]");
}

TEST(StrategicMergeTest, MapsAreMergedKeyByKey) {
  EXPECT_EQ(MergedMeta(R"({"labels":{"b":"1","d":"1"}})", R"({"labels":{"a":"2","b":null,"d":"3","e":"4"}})"),
            R"({"labels":{"a":"2","d":"3","e":"4"}})");
  EXPECT_EQ(MergedMeta(R"({"labels":{"b":"1"}})", R"({"labels":{"$patch":"replace","a":"2"}})"),
            R"({"labels":{"a":"2"}})");
  EXPECT_EQ(MergedMeta(R"({"name":"n"})", R"({"labels":{"a":"2","b":null}})"),
            R"({"name":"n","labels":{"a":"2"}})");
}

TEST(StrategicMergeTest, ScalarListsAreSetsThatCanShrink) {
  EXPECT_EQ(MergedMeta(R"({"finalizers":["a","b"]})", R"({"finalizers":["c","a"]})"),
            R"({"finalizers":["c","a","b"]})");
  EXPECT_EQ(
      MergedMeta(R"({"finalizers":["a","b","c"]})", R"({"$deleteFromPrimitiveList/finalizers":["b","x"]})"),
      R"({"finalizers":["a","c"]})");
  EXPECT_EQ(MergedMeta(R"({"finalizers":["a"]})", R"({"$deleteFromPrimitiveList":["a"]})"),
            "error: invalid patch format of primitive list");
}

TEST(StrategicMergeTest, SetElementOrderOrdersTheMergedList) {
  EXPECT_EQ(
      MergedSpec(
          R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
          R"({"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"name":"c","image":"2"}]})"),
      R"({"containers":[{"name":"b","resources":{}},{"name":"c","image":"2","resources":{}},{"name":"a","resources":{}}]})");
  EXPECT_EQ(MergedMeta(R"({"finalizers":["a","b"]})", R"({"$setElementOrder/finalizers":["b","a"]})"),
            R"({"finalizers":["b","a"]})");
  EXPECT_TRUE(MergedSpec(R"({"containers":[{"name":"a"}]})",
                         R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"b"}]})")
                  .starts_with("error: The order in patch list:"));
}

TEST(StrategicMergeTest, RetainKeysClearsTheOthers) {
  EXPECT_EQ(Merged("core_v1.Volume", R"({"name":"v","emptyDir":{}})",
                   R"({"$retainKeys":["name","hostPath"],"hostPath":{"path":"/p"}})"),
            R"({"name":"v","hostPath":{"path":"/p"}})");
  EXPECT_EQ(
      Merged("core_v1.Volume", R"({"name":"v"})", R"({"$retainKeys":["name"],"hostPath":{"path":"/p"}})"),
      "error: invalid patch format of retainKeys");
}

TEST(StrategicMergeTest, ElementsWithoutTheirKeyAreRefused) {
  EXPECT_EQ(MergedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"x"}]})"),
            "error: map: map[image:x] does not contain declared merge key: name");
}

TEST(StrategicMergeTest, ValuesOfAWrongTypeAreRefused) {
  EXPECT_EQ(MergedSpec(R"({"containers":[]})", R"({"nodeName":5})"), "error: cannot convert int64 to string");
  EXPECT_EQ(MergedSpec(R"({"containers":[]})", R"({"containers":"x"})"),
            "error: cannot restore slice from string");
  EXPECT_EQ(MergedSpec(R"({"containers":[]})", R"({"securityContext":1})"),
            "error: cannot restore struct from: int64");
  EXPECT_EQ(MergedSpec(R"({"containers":[]})", R"({"hostNetwork":"yes"})"), "error: unrecognized type: bool");
}

TEST(StrategicMergeTest, UnknownFieldsAreReportedWithTheirPath) {
  std::vector<std::string> unknown;
  EXPECT_EQ(Merged("core_v1.PodSpec", R"({"containers":[{"name":"a"}]})",
                   R"({"containers":[{"name":"a","foo":1}],"bar":{}})", &unknown),
            R"({"containers":[{"name":"a","resources":{}}]})");
  EXPECT_EQ(unknown,
            (std::vector<std::string>{"unknown field \"bar\"", "unknown field \"containers[0].foo\""}));
}

}  // namespace
}  // namespace keelson::api
