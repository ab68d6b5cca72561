#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/policies/mutating_admission_policy.h"
#include "admission/policies/validating_admission_policy.h"
#include "admission/testing/fakes.h"
#include "api/codec/json.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

using ::testing::EndsWith;

constexpr const char* kGroup = "admissionregistration.k8s.io";
constexpr const char* kMatch =
    R"("matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"resourceRules":[
       {"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]})";

class PoliciesTest : public ::testing::Test {
 protected:
  PoliciesTest() { reader_.Add("", "namespaces", R"({"metadata":{"name":"demo"}})"); }

  void Bind(const std::string& kind, const std::string& spec, const std::string& binding = "") {
    reader_.Add(kGroup, kind + "admissionpolicies",
                R"({"metadata":{"name":"p","uid":"1","resourceVersion":"1"},"spec":{)" + std::string(kMatch) +
                    "," + spec + "}}");
    reader_.Add(kGroup, kind + "admissionpolicybindings",
                R"({"metadata":{"name":"b"},"spec":{"policyName":"p")" +
                    std::string(kind == "validating" ? R"(,"validationActions":["Deny"])" : "") + binding +
                    "}}");
  }
  std::string Judge(const std::string& object, const std::string& was = "") {
    Write write("", "configmaps", object, was);
    return Refusal(write.Validate(ValidatingAdmissionPolicy(reader_, nullptr)));
  }

  FakeObjects reader_;
};

TEST_F(PoliciesTest, WithoutABindingNothingIsAsked) { EXPECT_EQ(Judge(R"({"metadata":{"name":"a"}})"), ""); }

TEST_F(PoliciesTest, TheFirstFailedValidationIsTheAnswer) {
  Bind("validating",
       R"x("validations":[{"expression":"has(object.data)"},{"expression":"false","message":"never"}])x");
  EXPECT_EQ(
      Judge(R"({"metadata":{"name":"a"}})"),
      "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed "
      "expression: has(object.data)");
  EXPECT_THAT(Judge(R"({"metadata":{"name":"a"},"data":{"k":"v"}})"), EndsWith("denied request: never"));
}

TEST_F(PoliciesTest, OldObjectsAndVariablesAreThere) {
  Bind("validating",
       R"x("variables":[{"name":"same","expression":"oldObject == null || object.data == oldObject.data"}],
          "validations":[{"expression":"variables.same","messageExpression":"request.operation + ' ' + object.kind"}])x");
  EXPECT_EQ(Judge(R"({"metadata":{"name":"a"},"data":{"k":"v"}})"), "");
  EXPECT_THAT(
      Judge(R"({"metadata":{"name":"a"},"data":{"k":"v"}})", R"({"metadata":{"name":"a"},"data":{"k":"w"}})"),
      EndsWith("denied request: UPDATE ConfigMap"));
}

TEST_F(PoliciesTest, ConnectionsAreJudgedByTheirOptions) {
  reader_.Add(kGroup, "validatingadmissionpolicies",
              R"x({"metadata":{"name":"p","uid":"1","resourceVersion":"1"},"spec":{
                "matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},
                  "resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CONNECT"],
                                    "resources":["pods/exec"]}]},
                "validations":[{"expression":"!('rm' in object.command)","messageExpression":
                  "request.operation + ' ' + request.subResource + ' ' + request.kind.kind + ' ' + string(request.options == null)"}]}})x");
  reader_.Add(kGroup, "validatingadmissionpolicybindings",
              R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}})");
  const auto connect = [&](std::string_view subresource, std::string_view command) {
    api::Doc options(api::core_v1::kPodExecOptionsType);
    api::core_v1::PodExecOptionsEditor(options).add_command(command);
    const ValidatingAdmissionPolicy plugin(reader_, nullptr);
    EXPECT_TRUE(plugin.ConcernWith(Resource("", "pods"), subresource).validates);
    return Refusal(base::SyncWait(plugin.Validate({.operation = Operation::kConnect,
                                                   .resource = &Resource("", "pods"),
                                                   .subresource = subresource,
                                                   .ns = "demo",
                                                   .name = "a",
                                                   .object = &options})));
  };
  EXPECT_THAT(connect("exec", "rm"), EndsWith("denied request: CONNECT exec PodExecOptions true"));
  EXPECT_EQ(connect("exec", "ls"), "");
  EXPECT_EQ(connect("attach", "rm"), "");
}

TEST_F(PoliciesTest, TheOptionsOfARequestAreThere) {
  Bind("validating",
       R"x("validations":[{"expression":"false","messageExpression":"request.options.kind + )x"
       "(has(request.options.fieldManager) ? ' manager ' + request.options.fieldManager : '') + "
       "(has(request.options.dryRun) ? ' dry run ' + request.options.dryRun[0] : '') + "
       "(has(request.options.gracePeriodSeconds) ? ' grace ' + string(request.options.gracePeriodSeconds) : "
       "'') + "
       R"x((has(request.options.preconditions) ? ' uid ' + request.options.preconditions.uid : '')"}])x");
  Write write("", "configmaps", R"({"metadata":{"name":"a"}})");
  Attributes request = write.request();
  const auto refusal = [&] {
    return Refusal(base::SyncWait(ValidatingAdmissionPolicy(reader_, nullptr).Validate(request)));
  };
  request.options.field_manager = "me";
  request.dry_run = true;
  EXPECT_THAT(refusal(), EndsWith("denied request: CreateOptions manager me dry run All"));
  request.operation = Operation::kDelete;
  request.options = {.grace_period_seconds = 3, .uid = "u"};
  request.dry_run = false;
  EXPECT_THAT(refusal(), EndsWith("denied request: DeleteOptions grace 3 uid u"));
}

// The request is for v2, in which autoscalers are stored.
TEST_F(PoliciesTest, WhatARuleIsForIsWhatThePolicySees) {
  reader_.Add(kGroup, "validatingadmissionpolicies",
              R"x({"metadata":{"name":"p","uid":"1","resourceVersion":"1"},"spec":{
                "matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},
                  "resourceRules":[{"apiGroups":["autoscaling"],"apiVersions":["v1"],"operations":["*"],
                                    "resources":["horizontalpodautoscalers"]}]},
                "validations":[{"expression":"false","messageExpression":
                  "object.apiVersion + ' ' + string(object.spec.targetCPUUtilizationPercentage) + ' ' + request.kind.version + ' asked ' + request.requestKind.version"}]}})x");
  reader_.Add(kGroup, "validatingadmissionpolicybindings",
              R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}})");
  const api::ResourceDesc& v2 = *api::FindResource("autoscaling", "v2", "horizontalpodautoscalers");
  api::Arena arena;
  auto root = api::json::Decode(
      arena.CopyString(
          R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"D","name":"d"},"metrics":[
              {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}]}})"),
      *v2.type, arena, nullptr);
  ASSERT_TRUE(root);
  api::Doc object(std::move(arena), *root);
  const auto judge = [&] {
    return Refusal(base::SyncWait(ValidatingAdmissionPolicy(reader_, nullptr)
                                      .Validate({.operation = Operation::kCreate,
                                                 .resource = &v2,
                                                 .ns = "demo",
                                                 .name = "a",
                                                 .object = &object})));
  };
  EXPECT_THAT(judge(), EndsWith("denied request: autoscaling/v1 60 v1 asked v2"));
  reader_.Hide(*api::FindResource("autoscaling", "v1", "horizontalpodautoscalers"));
  EXPECT_EQ(judge(), "") << "nobody can speak the version that the rule is for";
}

TEST_F(PoliciesTest, ANamespaceIsInItself) {
  reader_.Add(kGroup, "validatingadmissionpolicies",
              R"x({"metadata":{"name":"p","uid":"1","resourceVersion":"1"},"spec":{
                "matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},
                  "resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],
                                    "resources":["namespaces"]}]},
                "validations":[{"expression":"request.namespace != 'demo' && namespaceObject == null"}]}})x");
  reader_.Add(kGroup, "validatingadmissionpolicybindings",
              R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}})");
  const auto judge = [&](const std::string& name) {
    Write write("", "namespaces", R"({"metadata":{"name":")" + name + R"("}})");
    return Refusal(write.Validate(ValidatingAdmissionPolicy(reader_, nullptr)));
  };
  EXPECT_NE(judge("demo"), "");
  EXPECT_EQ(judge("other"), "");
}

TEST_F(PoliciesTest, ChecksAreCountedByWhatCameOfThem) {
  base::Metrics metrics;
  const auto judge = [&](const std::string& object) {
    Write write("", "configmaps", object);
    return Refusal(write.Validate(ValidatingAdmissionPolicy(reader_, nullptr, &metrics)));
  };
  const auto count = [&](const std::string& action, const std::string& error) {
    return metrics
        .GetCounter(
            "apiserver_validating_admission_policy_check_total",
            "Evaluations of expressions of policies, by what came of them.",
            {{"enforcement_action", action}, {"error_type", error}, {"policy", "p"}, {"policy_binding", "b"}})
        .value();
  };
  Bind("validating", R"x("failurePolicy":"Ignore","validations":[{"expression":"object.data.a == 'b'"}])x");
  EXPECT_EQ(judge(R"({"metadata":{"name":"a"},"data":{"a":"b"}})"), "");
  EXPECT_EQ(count("allow", "no_error"), 0U) << "what holds is not counted";
  EXPECT_NE(judge(R"({"metadata":{"name":"a"},"data":{"a":"c"}})"), "");
  EXPECT_EQ(count("deny", "invalid_error"), 1U);
  EXPECT_EQ(judge(R"({"metadata":{"name":"a"}})"), "") << "it cannot be told, and is ignored";
  EXPECT_EQ(count("allow", "invalid_error"), 1U);
}

TEST_F(PoliciesTest, AMutationIsMergedIntoTheObject) {
  Bind("mutating", R"x("reinvocationPolicy":"Never","mutations":[{"patchType":"ApplyConfiguration",
       "applyConfiguration":{"expression":"Object{data: Object.data{b: string(size(object.metadata.name))}}"}}])x");
  Write write("", "configmaps", R"({"metadata":{"name":"abc"},"data":{"a":"1"}})");
  EXPECT_EQ(Refusal(write.Mutate(MutatingAdmissionPolicy(reader_, nullptr))), "");
  const api::core_v1::ConfigMapView map(write.object());
  ASSERT_NE(map.data().Find("b"), nullptr);
  EXPECT_EQ(map.data().Find("b")->string(), "3");
  EXPECT_EQ(map.data().Find("a")->string(), "1");
}

TEST_F(PoliciesTest, WhatIsOwnedAsAWholeCannotBeMergedInto) {
  Bind("mutating", R"x("reinvocationPolicy":"Never","mutations":[{"patchType":"ApplyConfiguration",
       "applyConfiguration":{"expression":"Object{metadata: Object.metadata{finalizerz: 1}}"}}])x");
  Write write("", "configmaps", R"({"metadata":{"name":"abc"}})");
  EXPECT_THAT(Refusal(write.Mutate(MutatingAdmissionPolicy(reader_, nullptr))),
              ::testing::HasSubstr("policy 'p' with binding 'b' denied request: error applying patch"));
}

}  // namespace
}  // namespace keelson::admission
