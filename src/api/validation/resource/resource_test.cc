#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/resource/claims.h"
#include "api/validation/resource/device_names.h"
#include "api/validation/resource/device_taint_rule.h"
#include "api/validation/resource/resource_slice.h"
#include "api/validation/testing/any_expression.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::resource {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Texts;
using namespace resource_v1;

TEST(ResourceClaimValidationTest, ConstraintsNameRequestsOfTheClaim) {
  const Doc doc = DocFromJson<ResourceClaimView>(R"({"spec":{"devices":{
    "requests":[{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"c","allocationMode":"All"}]},{"name":"e"}],
    "constraints":[{"requests":["r/s","r/x"],"matchAttribute":"a"}]}}})");
  EXPECT_THAT(
      Texts(ValidateResourceClaim(ResourceClaimView(doc), testing::AnyExpression())),
      ElementsAre(
          "spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is "
          "required",
          HasSubstr("spec.devices.constraints[0].requests[1]: Invalid value: \"r/x\": must be the name"),
          "spec.devices.constraints[0].matchAttribute: Invalid value: \"a\": a fully qualified name must be "
          "a domain and a name separated by a slash"));
}

TEST(DeviceTaintRuleTest, AnUnknownEffectMayStay) {
  using resource_v1alpha3::DeviceTaintRuleView;
  const auto rule = [](std::string key) {
    return DocFromJson<DeviceTaintRuleView>(R"({"spec":{"deviceSelector":{"driver":"A_"},"taint":{"key":")" +
                                            key + R"(","effect":"Other"}}})");
  };
  const Doc was = rule("k"), now = rule("l");
  EXPECT_THAT(Texts(ValidateDeviceTaintRule(DeviceTaintRuleView(now), DeviceTaintRuleView())),
              ElementsAre(HasSubstr("spec.deviceSelector.driver: Invalid value"),
                          "spec.taint.effect: Unsupported value: \"Other\": supported values: \"NoExecute\", "
                          "\"NoSchedule\", \"None\""));
  EXPECT_THAT(Texts(ValidateDeviceTaintRule(DeviceTaintRuleView(now), DeviceTaintRuleView(was))),
              ElementsAre(HasSubstr("spec.deviceSelector.driver: Invalid value")));
}

TEST(ResourceClaimValidationTest, AnAllocationStays) {
  const auto claim = [](std::string device) {
    return DocFromJson<ResourceClaimView>(
        R"({"spec":{"devices":{"requests":[{"name":"r"}]}},"status":{"allocation":{"devices":{"results":[
          {"request":"r","driver":"d.x","pool":"p","device":")" +
        device + R"("}]}}}})");
  };
  const Doc was = claim("a"), now = claim("b");
  EXPECT_THAT(Texts(ValidateResourceClaimStatusUpdate(ResourceClaimView(was), ResourceClaimView(was))),
              IsEmpty());
  EXPECT_THAT(Texts(ValidateResourceClaimStatusUpdate(ResourceClaimView(now), ResourceClaimView(was))),
              ElementsAre(HasSubstr("field is immutable")));
}

TEST(ResourceSliceValidationTest, ASliceSaysWhichNodes) {
  const Doc none = DocFromJson<ResourceSliceView>(
      R"({"spec":{"driver":"d.x","pool":{"name":"p","resourceSliceCount":1}}})");
  EXPECT_THAT(Texts(ValidateResourceSlice(ResourceSliceView(none), ResourceSliceView())),
              ElementsAre("spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                          "`perDeviceNodeSelection` is required"));
  const Doc two = DocFromJson<ResourceSliceView>(
      R"({"spec":{"driver":"d.x","pool":{"name":"p","resourceSliceCount":1},"nodeName":"n","allNodes":true}})");
  EXPECT_THAT(Texts(ValidateResourceSlice(ResourceSliceView(two), ResourceSliceView())),
              ElementsAre(HasSubstr("Invalid value: \"{`nodeName`, `allNodes`}\"")));
}

TEST(DeviceNamesTest, VersionsAreSemantic) {
  const auto good = [](std::string_view version) {
    ErrorList errors;
    CheckSemanticVersion(version, Path("v"), errors);
    return errors.empty();
  };
  for (const char* version : {"1.2.3", "0.0.0", "1.2.3-alpha.1+build.01", "1.0.0-x-y"})
    EXPECT_TRUE(good(version)) << version;
  for (const char* version : {"1.2", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "v1.2.3"})
    EXPECT_FALSE(good(version)) << version;
}

}  // namespace
}  // namespace keelson::api::resource
