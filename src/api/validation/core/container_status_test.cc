// Expected errors are what kube-apiserver v1.36 answers to the same objects.
#include "api/validation/core/container_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Check = void (*)(core_v1::PodView, const Path&, ErrorList&);

std::vector<std::string> Errors(Check check, std::string_view json) {
  const Doc doc = testing::DocFromJson<core_v1::PodView>(json);
  ErrorList errors;
  check(core_v1::PodView(doc), Path("status"), errors);
  return testing::Texts(errors);
}

TEST(ContainerStatusTest, ClaimsOfTheStatusAreThoseOfTheSpec) {
  EXPECT_THAT(Errors(CheckClaimStatuses, R"({"spec": {"resourceClaims": [{"name": "a"}]},
                  "status": {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "c"}]}})"),
              IsEmpty());
  EXPECT_THAT(
      Errors(CheckClaimStatuses, R"({"status": {"resourceClaimStatuses": [{"name": "a"}, {"name": "a"}]}})"),
      ElementsAre(
          R"(status.resourceClaimStatuses[0].name: Invalid value: "a": must match the name of an entry in )"
          R"(`spec.resourceClaims`)",
          R"(status.resourceClaimStatuses[1].name: Invalid value: "a": must match the name of an entry in )"
          R"(`spec.resourceClaims`)",
          R"(status.resourceClaimStatuses[1].name: Duplicate value: "a")"));
  EXPECT_THAT(
      Errors(CheckClaimStatuses, R"({"status": {"extendedResourceClaimStatus": {"requestMappings": []}}})"),
      ElementsAre("status.extendedResourceClaimStatus.requestMappings: Required value: at least one "
                  "request mapping is required",
                  "status.extendedResourceClaimStatus.resourceClaimName: Required value"));
}

TEST(ContainerStatusTest, UsersBelongToTheSystemOfThePod) {
  EXPECT_THAT(
      Errors(CheckContainerUsers, R"({"status": {"containerStatuses": [{"name": "c",
                  "user": {"linux": {"uid": -1, "gid": 0, "supplementalGroups": [-2]}}}]}})"),
      ElementsAre("status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and "
                  "2147483647, inclusive",
                  "status.containerStatuses[0].user.linux.supplementalGroups[0]: Invalid value: -2: must "
                  "be between 0 and 2147483647, inclusive"));
  EXPECT_THAT(
      Errors(CheckContainerUsers, R"({"spec": {"os": {"name": "windows"}}, "status": {
                  "initContainerStatuses": [{"name": "c", "user": {"linux": {"uid": 1, "gid": 1}}}]}})"),
      ElementsAre("status.initContainerStatuses[0].user.linux: Forbidden: cannot be set for a windows pod"));
}

TEST(ContainerStatusTest, AllocatedResourcesWereAskedFor) {
  EXPECT_THAT(
      Errors(CheckAllocatedResources, R"({"spec": {"containers": [{"name": "c", "resources": {
                  "claims": [{"name": "a", "request": "r"}], "requests": {"example.com/gpu": "1"}}}]},
                "status": {"containerStatuses": [{"name": "c", "allocatedResourcesStatus": [
                  {"name": "claim:a/r", "resources": [{"resourceID": "1", "health": "Healthy"}]},
                  {"name": "example.com/gpu", "resources": [{"resourceID": "1", "health": "Bad", "message": ""},
                                                            {"resourceID": "1", "health": "Unknown"}]},
                  {"name": "claim:a"}, {"name": "x"}]}],
                  "ephemeralContainerStatuses": [{"name": "e", "allocatedResourcesStatus": [{"name": "x"}]}]}})"),
      ElementsAre(
          R"(status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].health: Unsupported value: "Bad": )"
          R"(supported values: "Healthy", "Unhealthy", "Unknown")",
          "status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].message: Required value: "
          "must be "
          "non-empty if specified",
          R"(status.containerStatuses[0].allocatedResourcesStatus[1].resources[1].resourceID: Duplicate value: "1")",
          R"(status.containerStatuses[0].allocatedResourcesStatus[2].name: Invalid value: "claim:a": must match one )"
          R"(of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if )"
          R"(request is empty)",
          R"(status.containerStatuses[0].allocatedResourcesStatus[3].name: Invalid value: "x": must match one of )"
          R"(the container's resource requests)",
          "status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified "
          "in "
          "container status"));
}

}  // namespace
}  // namespace keelson::api::core
