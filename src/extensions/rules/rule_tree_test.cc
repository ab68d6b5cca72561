#include "extensions/rules/rule_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "extensions/rules/field_names.h"
#include "extensions/rules/values.h"

namespace keelson::extensions {
namespace {

using api::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RuleTreeTest : public ::testing::Test {
 protected:
  void Compile(std::string_view json) {
    auto schema = api::json::Decode(arena_.CopyString(json), api::apiextensions_v1::kJSONSchemaPropsType,
                                    arena_, nullptr);
    ASSERT_TRUE(schema) << schema.error().message;
    tree_ = std::make_unique<SchemaTree>(api::apiextensions_v1::JSONSchemaPropsView(*schema), false);
    Declarations declarations;
    rules_ = RuleTree::Compile(tree_->root(), true, declarations);
  }
  Value Tree(std::string_view json) {
    auto tree = api::json::DecodeAny(arena_.CopyString(json), arena_);
    EXPECT_TRUE(tree) << json;
    return *tree;
  }
  std::vector<std::string> Check(std::string_view now, std::string_view was = {},
                                 int64_t budget = cel::kCostBudget) {
    const Value object = Tree(now), old = was.empty() ? Value() : Tree(was);
    warnings_.clear();
    auto findings = rules_->Check({.now = &object,
                                   .was = was.empty() ? nullptr : &old,
                                   .path = {},
                                   .ratchets = true,
                                   .warnings = &warnings_,
                                   .budget = budget});
    left_ = findings.budget;
    std::vector<std::string> texts;
    for (const auto& error : findings.errors) texts.push_back(error.ToString());
    return texts;
  }

  api::Arena arena_;
  std::unique_ptr<SchemaTree> tree_;
  std::unique_ptr<const RuleTree> rules_;
  std::vector<std::string> warnings_;
  int64_t left_ = 0;
};

TEST_F(RuleTreeTest, ASchemaWithoutRulesHasNothingToEvaluate) {
  Compile(R"({"type":"object","properties":{"a":{"type":"string"}}})");
  EXPECT_EQ(rules_, nullptr);
}

TEST_F(RuleTreeTest, RulesHoldAtEveryLevel) {
  Compile(R"({"type":"object","x-kubernetes-validations":[{"rule":"self.metadata.name != 'x'"}],"properties":{
      "l":{"type":"array","items":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]}},
      "m":{"type":"object","additionalProperties":{"type":"string",
           "x-kubernetes-validations":[{"rule":"self != ''","message":"no text"}]}}}})");
  EXPECT_THAT(
      Check(R"({"metadata":{"name":"x"},"l":[1,0],"m":{"a":"","b":"c"}})"),
      ElementsAre("<nil>: Invalid value: failed rule: self.metadata.name != 'x'",
                  "l[1]: Invalid value: 0: failed rule: self > 0", "m[a]: Invalid value: \"\": no text"));
  EXPECT_THAT(Check(R"({"metadata":{"name":"y"},"l":[1],"m":{"b":"c"}})"), IsEmpty());
}

TEST_F(RuleTreeTest, ARuleSaysWhatIsWrongAndWhere) {
  Compile(R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"},
      "m":{"type":"object","additionalProperties":{"type":"string"}}},"x-kubernetes-validations":[
      {"rule":"self.b != 1","fieldPath":".b","reason":"FieldValueForbidden","message":"not one"},
      {"rule":"self.b != 2","reason":"FieldValueRequired"},
      {"rule":"self.b != 3","fieldPath":".m['x']","reason":"FieldValueDuplicate"},
      {"rule":"self.b != 4","messageExpression":"'b is ' + string(self.b) + '!'"},
      {"rule":"self.b != 5","messageExpression":"self.m['none']","message":"five"},
      {"rule":"10 / (self.b - 6) < 20"}]}}})");
  EXPECT_THAT(Check(R"({"a":{"b":1}})"), ElementsAre("a.b: Forbidden: not one"));
  EXPECT_THAT(Check(R"({"a":{"b":2}})"), ElementsAre("a: Required value: failed rule: self.b != 2"));
  EXPECT_THAT(Check(R"({"a":{"b":3}})"), ElementsAre("a.m[x]: Duplicate value"));
  EXPECT_THAT(Check(R"({"a":{"b":4}})"), ElementsAre("a: Invalid value: b is 4!"));
  EXPECT_THAT(Check(R"({"a":{"b":5}})"), ElementsAre("a: Invalid value: five"));
  EXPECT_THAT(Check(R"({"a":{"b":6}})"),
              ElementsAre("a: Invalid value: \"object\": division by zero evaluating rule: "
                          "10 / (self.b - 6) < 20"));
}

TEST_F(RuleTreeTest, ChangesAreJudgedWhereItIsKnownWhatWasBefore) {
  Compile(R"({"type":"object","properties":{
      "a":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]},
      "o":{"type":"string","x-kubernetes-validations":[{"rule":"oldSelf.hasValue() == true","optionalOldSelf":true}]},
      "k":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],"items":{
           "type":"object","properties":{"n":{"type":"string"},"v":{"type":"integer"}},
           "x-kubernetes-validations":[{"rule":"self.v >= oldSelf.v"}]}}}})");
  EXPECT_THAT(Check(R"({"a":"x","k":[{"n":"p","v":1}]})"), IsEmpty());
  EXPECT_THAT(Check(R"({"o":"x"})"),
              ElementsAre("o: Invalid value: \"x\": failed rule: oldSelf.hasValue() == true"));
  EXPECT_THAT(Check(R"({"o":"x"})", R"({"o":"y"})"), IsEmpty());
  EXPECT_THAT(Check(R"({"a":"x"})", R"({"a":"y"})"),
              ElementsAre("a: Invalid value: \"x\": failed rule: self == oldSelf"));
  EXPECT_THAT(Check(R"({"k":[{"n":"q","v":0},{"n":"p","v":1}]})", R"({"k":[{"n":"p","v":2}]})"),
              ElementsAre("k[1]: Invalid value: failed rule: self.v >= oldSelf.v"));
}

TEST_F(RuleTreeTest, WhatStaysAsItWasIsOnlyWarnedOf) {
  Compile(R"({"type":"object","properties":{"s":{"type":"object","properties":{
      "a":{"type":"string","x-kubernetes-validations":[{"rule":"self == 'x'"}]},
      "b":{"type":"string"},
      "l":{"type":"array","items":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]}}}}}})");
  EXPECT_THAT(Check(R"({"s":{"a":"y","b":"2"}})", R"({"s":{"a":"y","b":"1"}})"), IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre("s.a: Invalid value: \"y\": failed rule: self == 'x'"));
  EXPECT_EQ(Check(R"({"s":{"a":"z"}})", R"({"s":{"a":"y"}})").size(), 1u);
  EXPECT_EQ(Check(R"({"s":{"a":"y"}})", R"({"s":{}})").size(), 1u);
  // Items of a plain list are as they were only if the whole list is.
  EXPECT_THAT(Check(R"({"s":{"l":[0,1]}})", R"({"s":{"l":[0,1],"b":"x"}})"), IsEmpty());
  EXPECT_EQ(Check(R"({"s":{"l":[0,1,2]}})", R"({"s":{"l":[0,1]}})").size(), 1u);
}

TEST_F(RuleTreeTest, SetsAndKeyedListsHaveNoOrder) {
  Compile(R"({"type":"object","properties":{
      "s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},
           "x-kubernetes-validations":[{"rule":"self == oldSelf","message":"changed"}]},
      "u":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},
           "x-kubernetes-validations":[{"rule":"(self + ['a']).size() == 2"}]},
      "k":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],"items":{
           "type":"object","properties":{"n":{"type":"string"},"v":{"type":"integer"}}},
           "x-kubernetes-validations":[{"rule":"self == oldSelf || self + oldSelf == oldSelf"}]}}})");
  EXPECT_THAT(Check(R"({"s":["a","b"]})", R"({"s":["b","a"]})"), IsEmpty());
  EXPECT_EQ(Check(R"({"s":["a","c"]})", R"({"s":["b","a"]})").size(), 1u);
  EXPECT_THAT(Check(R"({"u":["b","a"]})"), IsEmpty());
  EXPECT_THAT(Check(R"({"k":[{"n":"a","v":1},{"n":"b"}]})", R"({"k":[{"n":"b"},{"n":"a","v":1}]})"),
              IsEmpty());
  EXPECT_THAT(Check(R"({"k":[{"n":"b"}]})", R"({"k":[{"n":"b","v":1}]})"), IsEmpty());
  EXPECT_EQ(Check(R"({"k":[{"n":"c"}]})", R"({"k":[{"n":"b","v":1}]})").size(), 1u);
}

TEST_F(RuleTreeTest, NamesThatAreNoIdentifiersAreEscaped) {
  Compile(R"({"type":"object","properties":{"a-b":{"type":"integer"},"in":{"type":"integer"},
      "namespace":{"type":"integer"}},"x-kubernetes-validations":[
      {"rule":"self.a__dash__b + self.__in__ + self.__namespace__ + self.namespace == 7"}]})");
  EXPECT_THAT(Check(R"({"a-b":1,"in":2,"namespace":2})"), IsEmpty());
}

TEST_F(RuleTreeTest, TheBudgetIsForAllRulesTogether) {
  Compile(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer",
      "x-kubernetes-validations":[{"rule":"self > 0"}]}}}})");
  EXPECT_THAT(Check(R"({"l":[1,1,1]})", {}, 100), IsEmpty());
  const int64_t cost = (100 - left_) / 3;
  EXPECT_THAT(
      Check(R"({"l":[1,1,1]})", {}, 2 * cost + 1),
      ElementsAre("l[2]: Invalid value: \"integer\": validation failed due to running out of cost budget, "
                  "no further validation rules will be run"));
  EXPECT_LT(left_, 0);
}

TEST_F(RuleTreeTest, ARuleThatGoesOnTooLongIsCutOff) {
  std::string list = "[1";
  for (int i = 0; i < 1200; ++i) list += ",1";
  Compile(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"},
      "x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x == y)) && true"},{"rule":"false"}]}}})");
  EXPECT_THAT(
      Check("{\"l\":" + list + "]}"),
      ElementsAre("l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no "
                  "further validation rules will be run due to call cost exceeds limit for rule: "
                  "self.all(x, self.all(y, x == y)) && true"));
}

TEST(FieldNamesTest, EscapingCanBeUndone) {
  for (const std::string_view name : {"a", "a-b", "a.b/c", "a__b", "in", "namespace", "_", "a_"}) {
    const auto escaped = EscapeFieldName(name);
    ASSERT_TRUE(escaped) << name;
    EXPECT_EQ(UnescapeFieldName(*escaped), name);
  }
  EXPECT_EQ(EscapeFieldName("a-b"), "a__dash__b");
  EXPECT_EQ(EscapeFieldName("in"), "__in__");
  for (const std::string_view name : {"", "1a", "a b", "ä", "$x"})
    EXPECT_FALSE(EscapeFieldName(name)) << name;
  EXPECT_FALSE(UnescapeFieldName("__nope__"));
}

}  // namespace
}  // namespace keelson::extensions
