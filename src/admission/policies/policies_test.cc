#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/policies/mutating_admission_policy.h"
#include "admission/policies/validating_admission_policy.h"
#include "admission/testing/fakes.h"
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
