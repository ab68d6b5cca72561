#include "audit/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::audit {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Policy Read(std::string rules) {
  auto policy = Policy::Parse("apiVersion: audit.k8s.io/v1\nkind: Policy\n" + rules);
  EXPECT_TRUE(policy) << policy.error();
  return policy ? *policy : Policy();
}

std::string ErrorOf(std::string text) {
  const auto policy = Policy::Parse(text);
  return policy ? "none" : policy.error();
}
std::string RulesError(const std::string& rules) {
  return ErrorOf("apiVersion: audit.k8s.io/v1\nkind: Policy\n" + rules);
}

class PolicyTest : public testing::Test {
 protected:
  auth::Attributes Resource(std::string_view verb, std::string_view resource, std::string_view sub = "",
                            std::string_view ns = "", std::string_view name = "") {
    return {.user = &ann_,
            .verb = verb,
            .resource_request = true,
            .resource = resource,
            .subresource = sub,
            .ns = ns,
            .name = name};
  }
  auth::Attributes Path(std::string_view path) { return {.user = &ann_, .verb = "get", .path = path}; }
  Level LevelOf(const std::string& rules, const auth::Attributes& request) {
    return Read(rules).Evaluate(request).level;
  }

  const auth::User ann_{.name = "ann", .uid = "", .groups = {"dev", "all"}, .extra = {}};
};

TEST_F(PolicyTest, TheFirstRuleThatMatchesCounts) {
  const std::string rules =
      "rules:\n- {level: None, users: [bob]}\n- {level: Request, userGroups: [ops, dev]}\n- {level: "
      "Metadata}\n";
  EXPECT_EQ(LevelOf(rules, Resource("get", "pods")), Level::kRequest);
  const auth::Attributes nobody{.verb = "get", .path = "/"};
  EXPECT_EQ(LevelOf(rules, nobody), Level::kMetadata);
  EXPECT_EQ(LevelOf("rules: [{level: Metadata, verbs: [list]}]", Resource("get", "pods")), Level::kNone);
}

TEST_F(PolicyTest, AResourceDoesNotStandForItsSubresources) {
  const auto rule = [](const std::string& resource) {
    return "rules: [{level: Metadata, resources: [{group: '', resources: ['" + resource + "']}]}]";
  };
  const auto log = Resource("get", "pods", "log"), pod = Resource("get", "pods");
  EXPECT_EQ(LevelOf(rule("pods"), pod), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("pods"), log), Level::kNone);
  EXPECT_EQ(LevelOf(rule("pods/log"), log), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("pods/log"), pod), Level::kNone);
  EXPECT_EQ(LevelOf(rule("pods/*"), log), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("pods/*"), pod), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("*/log"), log), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("*/log"), pod), Level::kNone);
  EXPECT_EQ(LevelOf(rule("*"), log), Level::kMetadata);
  EXPECT_EQ(LevelOf(rule("*"), Path("/healthz")), Level::kNone);
}

TEST_F(PolicyTest, GroupsNamesAndNamespacesLimitARule) {
  const std::string named =
      "rules: [{level: Metadata, resources: [{group: '', resources: [pods], resourceNames: [a]}]}]";
  EXPECT_EQ(LevelOf(named, Resource("get", "pods", "", "x", "a")), Level::kMetadata);
  EXPECT_EQ(LevelOf(named, Resource("get", "pods", "", "x", "b")), Level::kNone);
  const std::string clustered = "rules: [{level: Metadata, namespaces: ['']}]";
  EXPECT_EQ(LevelOf(clustered, Resource("get", "nodes")), Level::kMetadata);
  EXPECT_EQ(LevelOf(clustered, Resource("get", "pods", "", "x")), Level::kNone);
  EXPECT_EQ(LevelOf(clustered, Path("/version")), Level::kNone);
  EXPECT_EQ(LevelOf("rules: [{level: Metadata, resources: [{group: apps}]}]", Resource("get", "pods")),
            Level::kNone);
  EXPECT_EQ(LevelOf("rules: [{level: Metadata, resources: [{group: '*'}]}]", Resource("get", "pods")),
            Level::kMetadata);
}

TEST_F(PolicyTest, PathsMayEndWithAStar) {
  const std::string rules = "rules: [{level: Metadata, nonResourceURLs: ['/healthz*', /version]}]";
  EXPECT_EQ(LevelOf(rules, Path("/healthz/ping")), Level::kMetadata);
  EXPECT_EQ(LevelOf(rules, Path("/version")), Level::kMetadata);
  EXPECT_EQ(LevelOf(rules, Path("/version/")), Level::kNone);
  EXPECT_EQ(LevelOf(rules, Resource("get", "pods")), Level::kNone);
  EXPECT_EQ(LevelOf("rules: [{level: Metadata, nonResourceURLs: ['*']}]", Path("/x")), Level::kMetadata);
}

TEST_F(PolicyTest, StagesUniteAndARuleOverridesManagedFields) {
  const Policy policy = Read(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules:\n"
      "- {level: Metadata, verbs: [get], omitStages: [ResponseStarted], omitManagedFields: false}\n"
      "- {level: Request}\n");
  const Decision first = policy.Evaluate(Resource("get", "pods"));
  EXPECT_TRUE(first.omitted.Has(Stage::kRequestReceived));
  EXPECT_TRUE(first.omitted.Has(Stage::kResponseStarted));
  EXPECT_FALSE(first.omitted.Has(Stage::kResponseComplete));
  EXPECT_FALSE(first.omit_managed_fields);
  EXPECT_TRUE(policy.Evaluate(Resource("list", "pods")).omit_managed_fields);
}

TEST_F(PolicyTest, WhatIsWrongIsToldInUpstreamsWords) {
  EXPECT_EQ(RulesError(""), "loaded illegal policy with 0 rules");
  EXPECT_EQ(RulesError("rules: [{}]"), "rules[0].level: Required value");
  EXPECT_EQ(RulesError("rules: [{level: All}]"),
            "rules[0].level: Unsupported value: \"All\": supported values: \"None\", \"Metadata\", "
            "\"Request\", \"RequestResponse\"");
  EXPECT_EQ(RulesError("rules: [{level: None, omitStages: [Late]}]"),
            "rules[0].omitStages[0]: Invalid value: \"Late\": allowed stages are "
            "RequestReceived,ResponseStarted,ResponseComplete,Panic");
  EXPECT_EQ(
      RulesError("rules: [{level: None, nonResourceURLs: [x, '/a*b']}]"),
      "[rules[0].nonResourceURLs[0]: Invalid value: \"x\": non-resource URL rules must begin with a '/' "
      "character, rules[0].nonResourceURLs[1]: Invalid value: \"/a*b\": non-resource URL wildcards '*' "
      "must be the final character of the rule]");
  EXPECT_EQ(RulesError("rules: [{level: None, nonResourceURLs: [/x], namespaces: [a]}]"),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources "
            "and non-resource URLs");
  EXPECT_EQ(RulesError("rules: [{level: None, resources: [{resourceNames: [a]}]}]"),
            "rules[0].resources.resourceNames: Invalid value: [\"a\"]: using resourceNames requires at least "
            "one resource");
  EXPECT_THAT(RulesError("rules: [{level: None, resources: [{group: a/v1}]}]"),
              StartsWith("rules[0].resources.group: Invalid value: \"a/v1\": "));
  EXPECT_THAT(ErrorOf("rules: [{level: None}]"), HasSubstr("unknown group version field"));
  EXPECT_THAT(ErrorOf("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: 7"), StartsWith("failed decoding"));
}

TEST_F(PolicyTest, UnknownFieldsAreLeftOut) {
  EXPECT_EQ(
      LevelOf("rules: [{level: Metadata, resources: [{group: '', verbs: [get]}]}]", Resource("list", "pods")),
      Level::kMetadata);
}

}  // namespace
}  // namespace keelson::audit
