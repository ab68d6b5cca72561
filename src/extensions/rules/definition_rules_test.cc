#include "extensions/rules/definition_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/apiextensions/schema.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::extensions {
namespace {

using api::apiextensions::SchemaOptions;
using api::apiextensions::SchemaView;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Check(std::string_view schema, SchemaOptions options = {}) {
  const api::Doc doc = api::testing::DocFromJson<SchemaView>(schema);
  options.rules = &DefinitionRules();
  return api::testing::Texts(
      api::apiextensions::ValidateSchema(SchemaView(doc), false, options, api::field::Path("s")));
}

std::string WithRule(const std::string& rule, const std::string& more = "") {
  return R"({"type":"object","properties":{"a":{"type":"string"},"l":{"type":"array","items":{"type":"string"}}},
             "x-kubernetes-validations":[{"rule":")" +
         rule + "\"" + more + "}]}";
}

TEST(DefinitionRulesTest, RulesMustBeExpressionsThatGiveABool) {
  EXPECT_THAT(Check(WithRule("self.a == 'x'")), IsEmpty());
  EXPECT_THAT(Check(WithRule("self.a")), ElementsAre(HasSubstr("cel expression must evaluate to a bool")));
  EXPECT_THAT(
      Check(WithRule("self.b == 'x'")),
      ElementsAre("s.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self.b "
                  "== 'x'\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\","
                  "\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:5: undefined field "
                  "'b'\n | self.b == 'x'\n | ....^"));
  EXPECT_THAT(Check(WithRule("self.a == 'x'", R"(,"messageExpression":"1")")),
              ElementsAre(HasSubstr("messageExpression must evaluate to a string")));
  EXPECT_THAT(Check(WithRule("self.a == 'x'", R"(,"fieldPath":".b")")),
              ElementsAre(HasSubstr("fieldPath: Invalid value: \".b\": must be a valid path")));
}

TEST(DefinitionRulesTest, RulesMayNotGetTooExpensive) {
  const std::string rule = WithRule("self.l.all(x, self.l.all(y, x == y))");
  EXPECT_THAT(
      Check(rule),
      ElementsAre(HasSubstr("Forbidden: estimated rule cost exceeds budget by factor of more than 100x"),
                  HasSubstr("contributed to estimated rule cost total exceeding cost limit"),
                  HasSubstr("s.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost "
                            "total for entire OpenAPIv3 schema exceeds budget by factor of more than "
                            "100x")));
  EXPECT_EQ(Check(rule, {.limit_rule_costs = false}).size(), 2u);
}

TEST(DefinitionRulesTest, ChangesCanBeJudgedOnlyWhereItemsCanBeTold) {
  const auto list = [](std::string_view type) {
    return R"({"type":"object","properties":{"l":{"type":"array","maxItems":9)" + std::string(type) +
           R"(,"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}},
              "x-kubernetes-validations":[{"rule":"self.k == oldSelf.k"}]}}}})";
  };
  EXPECT_THAT(Check(list("")),
              ElementsAre(HasSubstr("oldSelf cannot be used on the uncorrelatable portion of the "
                                    "schema within s.openAPIV3Schema.properties[l]")));
  EXPECT_THAT(Check(list(R"(,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"])")),
              IsEmpty());
}

TEST(DefinitionRulesTest, DefaultsMustFitTheSchema) {
  const auto of = [](std::string_view schema) {
    return Check(R"({"type":"object","properties":{"a":)" + std::string(schema) + "}}");
  };
  EXPECT_THAT(of(R"({"type":"integer","default":1})"), IsEmpty());
  EXPECT_THAT(
      of(R"({"type":"integer","default":"x"})"),
      ElementsAre("s.openAPIV3Schema.properties[a].default: Invalid value: \"string\":  in body must be of "
                  "type integer: \"string\""));
  EXPECT_THAT(
      of(R"({"type":"object","properties":{"x":{"type":"integer"}},"default":{"y":1}})"),
      ElementsAre("s.openAPIV3Schema.properties[a].default: Invalid value: {\"y\":1}: must not have unknown "
                  "fields"));
  EXPECT_THAT(
      of(R"({"type":"integer","default":1,"x-kubernetes-validations":[{"rule":"self > 1"}]})"),
      ElementsAre("s.openAPIV3Schema.properties[a].default: Invalid value: 1: failed rule: self > 1"));
  EXPECT_THAT(of(R"({"type":"object","x-kubernetes-embedded-resource":true,
                     "x-kubernetes-preserve-unknown-fields":true,"default":{"kind":"K"}})"),
              ElementsAre("s.openAPIV3Schema.properties[a].default.apiVersion: Required value"));
}

TEST(DefinitionRulesTest, DefaultsThatWerePrunedLateAreKnown) {
  const auto unpruned = [](std::string_view schema) {
    const api::Doc doc = api::testing::DocFromJson<SchemaView>(schema);
    return DefinitionRules().HasUnprunedDefaults(SchemaView(doc));
  };
  EXPECT_TRUE(unpruned(R"({"type":"object","properties":{"a":{"type":"object","default":{"x":1}}}})"));
  EXPECT_FALSE(unpruned(R"({"type":"object","properties":{"a":{"type":"object","default":{}}}})"));
}

TEST(DefinitionRulesTest, PatternsMustBePatterns) {
  EXPECT_THAT(
      Check(R"({"type":"object","properties":{"a":{"type":"string","pattern":"[a"}}})"),
      ElementsAre("s.openAPIV3Schema.properties[a].pattern: Invalid value: \"[a\": must be a valid regular "
                  "expression, but isn't: error parsing regexp: missing closing ]: `[a`"));
}

}  // namespace
}  // namespace keelson::extensions
