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

TEST_F(FieldSetTest, EntriesMayBeWrittenInTheOrderOfTheirBytes) {
  base::BufferBuilder out;
  EncodeFieldsByKey(
      Set(R"({"f:l":{".":{},"k:{\"p\":80}":{"f:p":{},".":{}},"k:{\"p\":443}":{},"i:1":{}},"f:a":{}})"), out);
  EXPECT_EQ(out.view(),
            R"({"f:a":{},"f:l":{".":{},"i:1":{},"k:{\"p\":443}":{},"k:{\"p\":80}":{".":{},"f:p":{}}}})");
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

TEST_F(FieldSetTest, ManySetsAreUnited) {
  std::vector<const FieldSet*> sets;
  EXPECT_EQ(UnionOf(sets, arena_), nullptr);
  for (int i = 0; i < 5; ++i)
    sets.push_back(Set(arena_.CopyString(R"({"f:data":{"f:k)" + std::to_string(i) + R"(":{}}})")));
  sets.push_back(nullptr);
  EXPECT_EQ(Text(UnionOf(sets, arena_)), R"({"f:data":{"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{},"f:k4":{}}})");
}

TEST_F(FieldSetTest, SetsOfAnySizesAreMatched) {
  const auto numbers = [&](int from, int to, int step) {
    std::string text;
    for (int i = from; i < to; i += step)
      text += (text.empty() ? "{\"i:" : ",\"i:") + std::to_string(i) + "\":{}";
    return Set(text.empty() ? "{}" : text + "}");
  };
  for (const int size : {0, 1, 2, 3, 7, 64, 100}) {
    for (const int step : {1, 2, 3, 17, 50}) {
      const FieldSet *all = numbers(0, size, 1), *some = numbers(0, size, step);
      EXPECT_EQ(Text(Intersection(all, some, arena_)), Text(some)) << size << " " << step;
      EXPECT_EQ(Text(Intersection(some, all, arena_)), Text(some));
      EXPECT_EQ(Difference(some, all, arena_), nullptr);
      EXPECT_EQ(Text(Union(Difference(all, some, arena_), some, arena_)), Text(all));
      EXPECT_EQ(RecursiveDifference(some, all, arena_), nullptr);
      EXPECT_EQ(Intersection(Difference(all, some, arena_), some, arena_), nullptr);
    }
  }
}

TEST_F(FieldSetTest, ListsAndMapsAreOrderedByWhatTheyHold) {
  constexpr std::string_view kSet =
      R"({"v:[1]":{},"v:[1,2]":{},"v:[2]":{},"v:{\"a\":1}":{},"v:{\"a\":2}":{},"v:{\"b\":1}":{}})";
  EXPECT_EQ(Text(Set(kSet)), kSet);
  EXPECT_EQ(
      Text(Set(R"({"v:{\"b\":1}":{},"v:[2]":{},"v:{\"a\":2}":{},"v:[1,2]":{},"v:{\"a\":1}":{},"v:[1]":{}})")),
      kSet);
}

}  // namespace
}  // namespace keelson::api::managed_fields
