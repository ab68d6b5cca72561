#include "cel/rules.h"

#include <gtest/gtest.h>

namespace keelson::cel {
namespace {

using ProblemKind = api::ExpressionProblem::Kind;
using Use = api::ExpressionUse;

std::string Detail(const api::MaybeProblem& problem) { return problem ? problem->detail : ""; }

TEST(RulesTest, MatchConditionsGiveABool) {
  EXPECT_EQ(
      Detail(Rules().MatchCondition("request.operation == 'CREATE' && object.metadata.name == 'a'", false)),
      "");
  EXPECT_EQ(Detail(Rules().MatchCondition("1", false)), "must evaluate to bool but got int");
  EXPECT_EQ(Detail(Rules().MatchCondition("params.x == 1", true)), "");
  EXPECT_EQ(Detail(Rules().MatchCondition("params.x == 1", false)),
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n"
            " | params.x == 1\n"
            " | ^");
  EXPECT_EQ(Detail(Rules().MatchCondition("authorizer.requestResource.check('get').allowed()", false)), "");
}

TEST(RulesTest, VariablesHaveTypes) {
  const auto policy = Rules().NewPolicy(false, true);
  EXPECT_EQ(Detail(policy->AddVariable("n", "1 + 1")), "");
  EXPECT_EQ(Detail(policy->AddVariable("wrong", "nothing")).substr(0, 18), "compilation failed");
  EXPECT_EQ(Detail(policy->Check(Use::kValidation, "variables.n > 1")), "");
  EXPECT_EQ(Detail(policy->Check(Use::kValidation, "variables.wrong == 1")), "");
  EXPECT_EQ(
      Detail(policy->Check(Use::kValidation, "variables.n == 'x'")),
      "compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, "
      "string)'\n | variables.n == 'x'\n | ............^");
  EXPECT_EQ(Detail(policy->Check(Use::kValidation, "variables.m")),
            "compilation failed: ERROR: <input>:1:10: undefined field 'm'\n | variables.m\n | .........^");
}

TEST(RulesTest, MessagesHaveNoAuthorizer) {
  const auto policy = Rules().NewPolicy(false, false);
  EXPECT_EQ(Detail(policy->Check(Use::kMessage, "'a' + object.kind")), "");
  EXPECT_NE(Detail(policy->Check(Use::kMessage, "string(authorizer.path('/').check('get').allowed())")), "");
  EXPECT_EQ(Detail(policy->Check(Use::kAuditAnnotation, "1")),
            "must evaluate to one of [string null_type] but got int");
  EXPECT_EQ(Detail(policy->Check(Use::kAuditAnnotation, "null")), "");
}

TEST(RulesTest, MutationsGiveObjectsOrPatches) {
  const auto policy = Rules().NewPolicy(false, true);
  EXPECT_EQ(
      Detail(policy->Check(Use::kApplyConfiguration,
                           "Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 'b'}}}")),
      "");
  EXPECT_EQ(Detail(policy->Check(Use::kApplyConfiguration, "1")), "must evaluate to Object but got int");
  EXPECT_EQ(
      Detail(policy->Check(Use::kJsonPatch,
                           "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: 1}]")),
      "");
  EXPECT_EQ(Detail(policy->Check(Use::kJsonPatch, "Object{}")),
            "must evaluate to list(JSONPatch) but got Object");
}

TEST(RulesTest, SelectorsOfDevicesAreCheap) {
  EXPECT_EQ(Detail(Rules().DeviceSelector("device.driver == 'a' && device.attributes['a'].model == 'x'")),
            "");
  EXPECT_EQ(Detail(Rules().DeviceSelector("device.attributes['a'].flag")), "");
  EXPECT_EQ(Detail(Rules().DeviceSelector("device.capacity['a'].memory.isGreaterThan(quantity('1Gi'))")), "");
  EXPECT_EQ(Detail(Rules().DeviceSelector("cel.bind(d, device.driver, d == 'a')")), "");
  EXPECT_EQ(Detail(Rules().DeviceSelector("1")), "must evaluate to bool or the unknown type, not int");
  const auto complex = Rules().DeviceSelector(
      "device.attributes['a'].b.matches('x') && device.attributes.all(a, device.attributes.all(b, "
      "device.attributes.all(c, device.attributes.all(d, true))))");
  ASSERT_TRUE(complex);
  EXPECT_EQ(complex->kind, ProblemKind::kForbidden);
  EXPECT_EQ(complex->detail, "too complex, exceeds cost limit");
}

}  // namespace
}  // namespace keelson::cel
