#include "extensions/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "extensions/schema/defaults.h"
#include "extensions/schema/list_types.h"
#include "extensions/schema/prune.h"
#include "extensions/schema/render.h"
#include "extensions/schema/validate.h"

namespace keelson::extensions {
namespace {

using api::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SchemaTest : public ::testing::Test {
 protected:
  const Schema& Compile(std::string_view json) {
    auto schema = api::json::Decode(arena_.CopyString(json), api::apiextensions_v1::kJSONSchemaPropsType,
                                    arena_, nullptr);
    EXPECT_TRUE(schema) << schema.error().message;
    tree_ = std::make_unique<SchemaTree>(api::apiextensions_v1::JSONSchemaPropsView(*schema), false);
    return tree_->root();
  }
  Value Tree(std::string_view json) {
    auto tree = api::json::DecodeAny(arena_.CopyString(json), arena_);
    EXPECT_TRUE(tree) << json;
    return *tree;
  }
  std::vector<std::string> Errors(std::string_view schema, std::string_view value,
                                  std::string_view old = {}) {
    const Schema& s = Compile(schema);
    const Value was = old.empty() ? Value() : Tree(old);
    std::vector<std::string> texts;
    for (const auto& error : ValidateValue(Tree(value), s, "", old.empty() ? nullptr : &was))
      texts.push_back(error.ToString());
    return texts;
  }
  std::string Pruned(std::string_view schema, std::string_view value) {
    Value tree = Tree(value);
    unknown_.clear();
    PruneContent(*tree.map(), Compile(schema), &unknown_);
    PruneNulls(*tree.map(), tree_->root());
    return TreeJson(tree);
  }
  std::string Defaulted(std::string_view schema, std::string_view value) {
    Value tree = Tree(value);
    FillDefaults(*tree.map(), Compile(schema), arena_);
    return TreeJson(tree);
  }

  api::Arena arena_;
  std::unique_ptr<SchemaTree> tree_;
  std::vector<std::string> unknown_;
};

TEST_F(SchemaTest, UnknownFieldsGoAndAreTold) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{
      "a":{"type":"object","properties":{"b":{"type":"string"}}},
      "l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}}}},
      "m":{"type":"object","additionalProperties":{"type":"object","properties":{"k":{"type":"string"}}}}}})";
  EXPECT_EQ(Pruned(kSchema, R"({"z":1,"a":{"b":"c","n":2},"l":[{"x":1,"y":2}],"m":{"p":{"k":"v","q":1}}})"),
            R"({"a":{"b":"c"},"l":[{"x":1}],"m":{"p":{"k":"v"}}})");
  EXPECT_THAT(unknown_, ElementsAre("a.n", "l[0].y", "m.p.q", "z"));
}

TEST_F(SchemaTest, WhatIsToBePreservedStaysButForItsKnownParts) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"a":{"type":"object",
      "x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"object","properties":{}}}}}})";
  EXPECT_EQ(Pruned(kSchema, R"({"a":{"b":{"gone":1},"c":{"stays":1}}})"),
            R"({"a":{"b":{},"c":{"stays":1}}})");
  EXPECT_THAT(unknown_, ElementsAre("a.b.gone"));
}

TEST_F(SchemaTest, NullsStayOnlyWhereTheyMay) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"a":{"type":"string"},
      "b":{"type":"string","nullable":true},"c":{"type":"string","default":"d"}}})";
  EXPECT_EQ(Pruned(kSchema, R"({"a":null,"b":null,"c":null})"), R"({"b":null,"c":null})");
  EXPECT_EQ(Defaulted(kSchema, R"({"b":null,"c":null})"), R"({"b":null,"c":"d"})");
}

TEST_F(SchemaTest, DefaultsAreFilledInBelowDefaults) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{
      "a":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":7}}},
      "l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string","default":"y"}}}}}})";
  EXPECT_EQ(Defaulted(kSchema, R"({"l":[{},{"x":"z"}]})"), R"({"a":{"b":7},"l":[{"x":"y"},{"x":"z"}]})");
}

TEST_F(SchemaTest, TypesAndBounds) {
  constexpr std::string_view kInt =
      R"({"type":"object","properties":{"n":{"type":"integer","minimum":3,"maximum":9,
      "exclusiveMaximum":true,"multipleOf":2}}})";
  EXPECT_THAT(Errors(kInt, R"({"n":4})"), IsEmpty());
  EXPECT_THAT(Errors(kInt, R"({"n":4.0})"), IsEmpty());
  EXPECT_THAT(Errors(kInt, R"({"n":2})"),
              ElementsAre("n: Invalid value: 2: n in body should be greater than or equal to 3"));
  EXPECT_THAT(Errors(kInt, R"({"n":9})"),
              ElementsAre("n: Invalid value: 9: n in body should be a multiple of 2",
                          "n: Invalid value: 9: n in body should be less than 9"));
  EXPECT_THAT(Errors(kInt, R"({"n":"4"})"),
              ElementsAre("n: Invalid value: \"string\": n in body must be of type integer: \"string\""));
  EXPECT_THAT(Errors(kInt, R"({"n":null})"),
              ElementsAre("n: Invalid value: \"null\": n in body must be of type integer: \"null\""));
  EXPECT_THAT(
      Errors(R"({"type":"object","properties":{"n":{"type":"integer","format":"int32"}}})",
             R"({"n":3000000000})"),
      ElementsAre(
          "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in n"));
}

TEST_F(SchemaTest, ListsAndMaps) {
  constexpr std::string_view kSchema = R"({"type":"object","required":["r"],"properties":{
      "l":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"type":"string"}},
      "m":{"type":"object","maxProperties":1,"additionalProperties":{"type":"integer"}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"r":1,"l":["a"],"m":{"x":1}})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"l":[],"m":{"x":1,"y":"z"}})"),
              ElementsAre("l: Invalid value: 0: l in body should have at least 1 items",
                          "m: Too many: 2: must have at most 1 item",
                          "m.y: Invalid value: \"string\": m.y in body must be of type integer: \"string\"",
                          "r: Required value"));
  EXPECT_THAT(
      Errors(kSchema, R"({"r":1,"l":["a","a",3]})"),
      ElementsAre("l[2]: Invalid value: \"integer\": l[2] in body must be of type string: \"integer\"",
                  "l: Too many: 3: must have at most 2 items",
                  "l: Invalid value: \"\": l in body shouldn't contain duplicates"));
}

TEST_F(SchemaTest, Alternatives) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"a":{"type":"string",
      "oneOf":[{"maxLength":2},{"pattern":"^x"}],"not":{"enum":["no"]}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"a":"ab"})"), IsEmpty());
  EXPECT_THAT(
      Errors(kSchema, R"({"a":"xy"})"),
      ElementsAre("<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found 2 "
                  "valid alternatives"));
  EXPECT_THAT(Errors(kSchema, R"({"a":"abc"})"),
              ElementsAre(HasSubstr("must validate one and only one schema (oneOf). Found none valid"),
                          HasSubstr("a: ")));
  EXPECT_THAT(Errors(kSchema, R"({"a":"no"})"),
              ElementsAre(HasSubstr("\"a\" must not validate the schema (not)")));
}

TEST_F(SchemaTest, WhatDidNotChangeIsNotHeldAgainstAnUpdate) {
  constexpr std::string_view kSchema = R"({"type":"object","properties":{"a":{"type":"string","maxLength":1},
      "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
        "properties":{"k":{"type":"string"},"v":{"type":"string","maxLength":1}}}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"a":"xx"})", R"({"a":"xx"})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"a":"yy"})", R"({"a":"xx"})"), ElementsAre(HasSubstr("a: Too long")));
  EXPECT_THAT(
      Errors(kSchema, R"({"l":[{"k":"n","v":"1"},{"k":"o","v":"22"}]})", R"({"l":[{"k":"o","v":"22"}]})"),
      IsEmpty());
}

TEST_F(SchemaTest, Formats) {
  const auto is = [](const char* text, Format format) { return HasFormat(text, format); };
  EXPECT_TRUE(is("10.0.0.1", Format::kIpv4));
  EXPECT_FALSE(is("::1", Format::kIpv4));
  EXPECT_TRUE(is("fe80::1", Format::kIpv6));
  EXPECT_TRUE(is("10.0.0.0/8", Format::kCidr));
  EXPECT_FALSE(is("10.0.0.0/33", Format::kCidr));
  EXPECT_TRUE(is("2006-01-02T15:04:05Z", Format::kDateTime));
  EXPECT_FALSE(is("2006-13-02", Format::kDate));
  EXPECT_TRUE(is("1h30m", Format::kDuration));
  EXPECT_TRUE(is("5 seconds", Format::kDuration));
  EXPECT_TRUE(is("a@b.c", Format::kEmail));
  EXPECT_FALSE(is("a.b", Format::kEmail));
  EXPECT_TRUE(is("https://a.b/c?d", Format::kUri));
  EXPECT_FALSE(is("a b", Format::kUri));
  EXPECT_TRUE(is("aGVsbG8=", Format::kByte));
  EXPECT_FALSE(is("-", Format::kByte));
  EXPECT_TRUE(is("978-0321751041", Format::kIsbn13));
  EXPECT_TRUE(is("00:11:22:33:44:55", Format::kMac));
  EXPECT_EQ(StringFormat("date-time"), Format::kDateTime);
  EXPECT_EQ(StringFormat("nonsense"), Format::kNone);
}

TEST_F(SchemaTest, SetsAndKeyedListsHaveNothingTwice) {
  const Schema& s =
      Compile(R"({"type":"object","properties":{"s":{"type":"array","x-kubernetes-list-type":"set",
      "items":{"type":"string"}},"m":{"type":"array","x-kubernetes-list-type":"map",
      "x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object"}}}})");
  std::vector<std::string> texts;
  const Value tree = Tree(R"({"s":["x","y","x","x"],"m":[{"a":1,"b":2},{"a":1},{"b":2,"a":1}]})");
  for (const auto& error : ValidateListTypes(*tree.map(), s)) texts.push_back(error.ToString());
  EXPECT_THAT(texts, ElementsAre("m[2]: Duplicate value: {\"a\":1,\"b\":2}", "s[2]: Duplicate value: \"x\""));
}

}  // namespace
}  // namespace keelson::extensions
