#include "api/managed_fields/field_set.h"

#include <gtest/gtest.h>

#include "api/managed_fields/fields_v1.h"

namespace keelson::api::managed_fields {
namespace {

class FieldSetTest : public testing::Test {
 protected:
  const FieldSet* Set(std::string_view json) {
    auto set = DecodeFields(json, arena_);
    EXPECT_TRUE(set) << set.error();
    return set ? *set : nullptr;
  }
  std::string Text(const FieldSet* set) {
    base::BufferBuilder out;
    EncodeFields(set, out);
    return std::string(out.view());
  }
  Arena arena_;
};

constexpr std::string_view kPod =
    R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{)"
    R"("k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:ports":{".":{},)"
    R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}},)"
    R"("k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{}}}}}})";

TEST_F(FieldSetTest, WhatIsCanonicalReadsAndWritesTheSame) {
  EXPECT_EQ(Text(Set(kPod)), kPod);
  EXPECT_EQ(Text(Set(R"({"f:finalizers":{".":{},"v:\"x.io/a\"":{},"v:\"x.io/b\"":{}}})")),
            R"({"f:finalizers":{".":{},"v:\"x.io/a\"":{},"v:\"x.io/b\"":{}}})");
  EXPECT_EQ(Text(Set("{}")), "{}");
  EXPECT_EQ(Text(nullptr), "{}");
}

TEST_F(FieldSetTest, EntriesAreSortedByTheirMeaningAndUnknownOnesDropped) {
  EXPECT_EQ(Text(Set(R"({"i:10":{},"i:9":{},"v:2":{},"v:\"a\"":{},"v:1":{},"x:future":{"f:a":{}},)"
                     R"("k:{\"p\":443}":{},"k:{\"p\":80}":{},"f:b":{},"f:a":{"f:z":{},".":{}}})")),
            R"({"f:a":{".":{},"f:z":{}},"f:b":{},"k:{\"p\":80}":{},"k:{\"p\":443}":{},)"
            R"("v:1":{},"v:2":{},"v:\"a\"":{},"i:9":{},"i:10":{}})");
}

TEST_F(FieldSetTest, WhatIsNoSetIsRefused) {
  for (std::string_view bad : {"[]", "{", R"({"f":{}})", R"({"fa":{}})", R"({"f:a":[]})", R"({"k:[]":{}})",
                               R"({"k:{":{}})", R"({"i:x":{}})", R"({"v:":{}})"})
    EXPECT_FALSE(DecodeFields(bad, arena_)) << bad;
}

TEST_F(FieldSetTest, SetsThatAreTooDeepAreRefused) {
  auto nested = [](int depth) {
    std::string text = "{}";
    for (int i = 0; i < depth; ++i) text = R"({"f:a":)" + text + "}";
    return text;
  };
  const std::string good = nested(900), bad = nested(5000);
  EXPECT_TRUE(DecodeFields(good, arena_));
  EXPECT_FALSE(DecodeFields(bad, arena_));
}

TEST_F(FieldSetTest, UnionIntersectionAndDifferenceWorkPathByPath) {
  const FieldSet* a = Set(R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}})");
  const FieldSet* b = Set(R"({"f:a":{"f:x":{},"f:z":{}},"f:b":{},"f:c":{}})");
  EXPECT_EQ(Text(Union(a, b, arena_)), R"({"f:a":{".":{},"f:x":{},"f:y":{},"f:z":{}},"f:b":{},"f:c":{}})");
  EXPECT_EQ(Text(Intersection(a, b, arena_)), R"({"f:a":{"f:x":{}},"f:b":{}})");
  EXPECT_EQ(Text(Difference(a, b, arena_)), R"({"f:a":{".":{},"f:y":{}}})");
  EXPECT_EQ(Difference(a, a, arena_), nullptr);
}

TEST_F(FieldSetTest, APathTakesThoseBelowItAlongOnlyInARecursiveDifference) {
  const FieldSet* a = Set(R"({"f:spec":{"f:x":{}},"f:status":{"f:y":{},"f:z":{"f:q":{}}}})");
  const FieldSet* status = Set(R"({"f:status":{}})");
  EXPECT_TRUE(Equal(Difference(a, status, arena_), a));
  EXPECT_EQ(Text(RecursiveDifference(a, status, arena_)), R"({"f:spec":{"f:x":{}}})");
}

TEST_F(FieldSetTest, PathsAreSpelledAsConflictsNameThem) {
  std::vector<std::string> paths;
  std::string prefix;
  ForEachPath(
      Set(R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{}}},"f:v":{"v:\"x\"":{}}}})"),
      prefix, [&](const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{R"(.spec.containers[name="a"])",
                                             R"(.spec.containers[name="a"].image)", R"(.spec.v[="x"])"}));
}

}  // namespace
}  // namespace keelson::api::managed_fields
