#include "auth/authz/match_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::auth {
namespace {

using ::testing::HasSubstr;

class MatchConditionsTest : public ::testing::Test {
 protected:
  // "matches", "excluded" or an error.
  std::string Match(std::vector<std::string> expressions, const Attributes& attributes) {
    api::field::ErrorList errors;
    const auto conditions = MatchConditions::Compile(expressions, api::field::Path("c"), errors);
    if (!conditions || !errors.empty()) return errors.Aggregate();
    const auto matches = conditions->Match(attributes);
    if (!matches) return matches.error();
    return *matches ? "matches" : "excluded";
  }
  std::string Wrong(std::vector<std::string> expressions) {
    api::field::ErrorList errors;
    MatchConditions::Compile(expressions, api::field::Path("c"), errors);
    return errors.Aggregate();
  }

  const User ann_{.name = "ann", .uid = "7", .groups = {"dev"}, .extra = {{"a.com/x", {"1"}}}};
  const Attributes path_{.user = &ann_, .verb = "get", .path = "/healthz"};
};

TEST_F(MatchConditionsTest, ExpressionsSeeTheUserAndTheRequest) {
  EXPECT_EQ(Match({"request.user == 'ann' && request.uid == '7' && request.groups == ['dev']",
                   "request.extra['a.com/x'] == ['1']", "!has(request.resourceAttributes)",
                   "request.nonResourceAttributes.path.startsWith('/health')",
                   "request.nonResourceAttributes.verb == 'get'"},
                  path_),
            "matches");
  const Attributes pod{.user = &ann_,
                       .verb = "delete",
                       .resource_request = true,
                       .version = "v1",
                       .resource = "pods",
                       .ns = "demo",
                       .name = "web"};
  EXPECT_EQ(Match({"has(request.resourceAttributes) && !has(request.nonResourceAttributes)",
                   "request.resourceAttributes.group == '' && request.resourceAttributes.subresource == ''",
                   "request.resourceAttributes.verb + '/' + request.resourceAttributes.version + '/' + "
                   "request.resourceAttributes.resource + '/' + request.resourceAttributes.namespace + '/' + "
                   "request.resourceAttributes.name == 'delete/v1/pods/demo/web'",
                   "!has(request.resourceAttributes.fieldSelector)"},
                  pod),
            "matches");
}

TEST_F(MatchConditionsTest, ExpressionsSeeSelectors) {
  using Op = api::SelectorOperator;
  const api::SelectorRequirements fields{.requirements = {{"spec.nodeName", Op::kIn, {"n1"}}}};
  const api::SelectorRequirements labels{.requirements = {{"a", Op::kExists, {}}}};
  Attributes list{.user = nullptr, .verb = "list", .resource_request = true, .resource = "pods"};
  list.field_selector = &fields;
  list.label_selector = &labels;
  EXPECT_EQ(Match({"request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'spec.nodeName' "
                   "&& r.operator == 'In' && r.values == ['n1'])",
                   "request.resourceAttributes.labelSelector.requirements[0].operator == 'Exists'",
                   "request.resourceAttributes.?labelSelector.requirements.hasValue()",
                   "!has(request.resourceAttributes.labelSelector.rawSelector)",
                   "request.user == '' && request.groups.size() == 0 && request.extra.size() == 0"},
                  list),
            "matches");
}

TEST_F(MatchConditionsTest, AConditionThatDoesNotHoldOutweighsErrors) {
  const char* const fails = "request.resourceAttributes.verb == 'get'";
  EXPECT_EQ(Match({fails, "request.user == 'bob'"}, path_), "excluded");
  EXPECT_EQ(Match({fails, "request.user == 'ann'", "request.extra['b'] == []"}, path_),
            "[cel evaluation error: expression 'request.resourceAttributes.verb == 'get'' resulted in error: "
            "no such key: resourceAttributes, cel evaluation error: expression 'request.extra['b'] == []' "
            "resulted in error: no such key: b]");
}

TEST_F(MatchConditionsTest, ExpressionsThatAreWrongAreTold) {
  EXPECT_EQ(Wrong({"1"}), R"(c[0].expression: Invalid value: "1": must evaluate to bool but got int)");
  EXPECT_EQ(Wrong({" "}), "c[0].expression: Required value");
  EXPECT_EQ(Wrong({"true", "true"}), R"(c[1].expression: Duplicate value: "true")");
  EXPECT_THAT(Wrong({"request.nothing"}),
              HasSubstr(R"(c[0].expression: Invalid value: "request.nothing": compilation failed: ERROR: )"));
  std::vector<std::string> many;
  for (int i = 0; i < 65; ++i) many.push_back(std::to_string(i) + " == 0");
  EXPECT_EQ(Wrong(many), "c: Too many: 65: must have at most 64 items");
}

}  // namespace
}  // namespace keelson::auth
