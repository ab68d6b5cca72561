#include "api/validation/apiextensions/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/apiextensions/custom_resource_definition.h"
#include "api/validation/apiextensions/field_path.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::apiextensions {
namespace {

using ::testing::Contains;
using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Texts;
using View = apiextensions_v1::CustomResourceDefinitionView;

std::vector<std::string> Check(std::string_view schema) {
  const Doc doc = DocFromJson<SchemaView>(schema);
  return Texts(ValidateSchema(SchemaView(doc), false, {}, field::Path("s")));
}

TEST(SchemaValidationTest, EveryFieldHasAType) {
  EXPECT_THAT(Check(R"({"type":"object","properties":{"a":{},"b":{"type":"array","items":{}},
                        "c":{"x-kubernetes-int-or-string":true}}})"),
              ElementsAre("s.openAPIV3Schema.properties[a].type: Required value: must not be empty for "
                          "specified object fields",
                          "s.openAPIV3Schema.properties[b].items.type: Required value: must not be empty for "
                          "specified array items"));
  EXPECT_THAT(Check(R"({"type":"array","items":{"type":"string"}})"),
              ElementsAre("s.openAPIV3Schema.type: Invalid value: \"array\": must be object at the root"));
}

TEST(SchemaValidationTest, JunctorsRestrictValuesAndNothingElse) {
  EXPECT_THAT(Check(R"({"type":"object","properties":{"a":{"type":"string"}},
                        "anyOf":[{"type":"object","properties":{"a":{"maxLength":3},"z":{"maxLength":3}}}]})"),
              ElementsAre("s.openAPIV3Schema.anyOf[0].type: Forbidden: must be empty to be structural",
                          "s.openAPIV3Schema.properties[z]: Required value: because it is defined in "
                          "s.openAPIV3Schema.anyOf[0].properties[z]"));
  EXPECT_THAT(Check(R"({"type":"object","properties":{"p":{"x-kubernetes-int-or-string":true,
                        "anyOf":[{"type":"integer"},{"type":"string"}]}}})"),
              IsEmpty());
}

TEST(SchemaValidationTest, MetadataIsWhatItAlwaysIs) {
  EXPECT_THAT(Check(R"({"type":"object","properties":{"metadata":{"type":"object","properties":
                        {"name":{"type":"string"}}}}})"),
              IsEmpty());
  EXPECT_THAT(Check(R"({"type":"object","properties":{"metadata":{"type":"object","properties":
                        {"labels":{"type":"object"}}}}})"),
              ElementsAre(HasSubstr("must not specify anything other than name and generateName")));
}

TEST(SchemaValidationTest, KeysOfListsAreThere) {
  EXPECT_THAT(Check(R"({"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map",
                        "x-kubernetes-list-map-keys":["k","z"],
                        "items":{"type":"object","properties":{"k":{"type":"string"}}}}}})"),
              ElementsAre("s.openAPIV3Schema.properties[l].x-kubernetes-list-map-keys: Invalid value: "
                          "[\"k\",\"z\"]: entries must all be names of item properties",
                          HasSubstr("so it must have a default or be a required property")));
}

TEST(FieldPathTest, LeadsToAFieldOrSaysWhyNot) {
  const Doc doc =
      DocFromJson<SchemaView>(R"({"type":"object","properties":{"a":{"type":"object","properties":{
      "b.c":{"type":"string"},"m":{"type":"object","additionalProperties":{"type":"integer"}}}}}})");
  const auto find = [&](std::string_view path, bool brackets = true) {
    const auto found = FindField(path, SchemaView(doc), brackets);
    return found ? found->text : "no: " + found.error();
  };
  EXPECT_EQ(find(".a"), "a");
  EXPECT_EQ(find(".a['b.c']"), "a.b.c");
  EXPECT_EQ(find(".a.m['x\\'y']"), "a.m[x'y]");
  EXPECT_EQ(find(".a.m.x"), "a.m[x]");
  EXPECT_EQ(find(".b"), "no: does not refer to a valid field");
  EXPECT_EQ(find("a"), "no: expected [ or . but got: a");
  EXPECT_EQ(find(".a."), "no: unexpected end of JSON path");
  EXPECT_EQ(find(".a[b]"), "no: expected single quoted string but got b");
  EXPECT_EQ(find(".a['m'"), "no: unexpected end of JSON path");
  EXPECT_EQ(find(".a['m']", false), "no: array notation is not allowed");
}

constexpr std::string_view kDefinition =
    R"({"metadata":{"name":"as.example.com"},"spec":{"group":"example.com",
  "scope":"Namespaced","names":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},
  "conversion":{"strategy":"None"},
  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]},
  "status":{"storedVersions":["v1"]}})";

TEST(CustomResourceDefinitionValidationTest, ADefinitionIsNamedAfterWhatItDefines) {
  const Doc good = DocFromJson<View>(kDefinition);
  EXPECT_THAT(Texts(ValidateCustomResourceDefinition(View(good), nullptr)), IsEmpty());
  std::string renamed(kDefinition);
  renamed.replace(renamed.find("as.example"), 2, "bs");
  const Doc bad = DocFromJson<View>(renamed);
  EXPECT_THAT(Texts(ValidateCustomResourceDefinition(View(bad), nullptr)),
              ElementsAre("metadata.name: Invalid value: \"bs.example.com\": must be "
                          "spec.names.plural+\".\"+spec.group"));
}

TEST(CustomResourceDefinitionValidationTest, AVersionThatWasStoredStays) {
  std::string text(kDefinition);
  text.replace(text.find(R"(["v1"])"), 6, R"(["v0","v1"])");
  const Doc doc = DocFromJson<View>(text);
  EXPECT_THAT(
      Texts(ValidateCustomResourceDefinition(View(doc), nullptr)),
      Contains(HasSubstr("status.storedVersions[0]: Invalid value: \"v0\": missing from spec.versions")));
}

}  // namespace
}  // namespace keelson::api::apiextensions
