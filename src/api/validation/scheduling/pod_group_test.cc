#include "api/validation/scheduling/pod_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::scheduling {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;
using Group = scheduling_v1alpha2::PodGroupView;
using WorkloadDoc = scheduling_v1alpha2::WorkloadView;

constexpr GroupFeatures kAll{.topology = true, .preemption = true};

std::vector<std::string> CheckGroup(std::string_view spec, std::string_view was = "",
                                    const GroupFeatures& features = kAll) {
  const auto read = [](std::string_view json) {
    return DocFromJson<Group>(R"({"spec":)" + std::string(json) + "}");
  };
  const Doc now = read(spec);
  if (was.empty()) return Texts(ValidatePodGroup(Group(now), Group(), features));
  const Doc old = read(was);
  return Texts(ValidatePodGroup(Group(now), Group(old), features));
}

TEST(PodGroupTest, HasOnePolicy) {
  EXPECT_THAT(CheckGroup(R"({"schedulingPolicy":{"basic":{}}})"), IsEmpty());
  EXPECT_THAT(CheckGroup(R"({"schedulingPolicy":{"gang":{"minCount":1}}})"), IsEmpty());
  EXPECT_THAT(
      CheckGroup(R"({"schedulingPolicy":{}})"),
      ElementsAre("spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, `gang`"));
  EXPECT_THAT(
      CheckGroup(R"({"schedulingPolicy":{"basic":{},"gang":{"minCount":-1}}})"),
      ElementsAre("spec.schedulingPolicy: Invalid value: \"{basic, gang}\": must specify exactly one of: "
                  "`basic`, `gang`",
                  "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal "
                  "to 1"));
}

TEST(PodGroupTest, NeverChanges) {
  constexpr std::string_view kWas =
      R"({"schedulingPolicy":{"basic":{}},"disruptionMode":"Pod","priority":1})";
  EXPECT_THAT(CheckGroup(kWas, kWas), IsEmpty());
  EXPECT_THAT(
      CheckGroup(R"({"schedulingPolicy":{"gang":{"minCount":0}},"disruptionMode":"No","priority":1})", kWas),
      ElementsAre("spec.schedulingPolicy: Invalid value: null: field is immutable",
                  "spec.disruptionMode: Invalid value: null: field is immutable"));
  EXPECT_THAT(CheckGroup(R"({"schedulingPolicy":{"basic":{}},"disruptionMode":"PodGroup"})", kWas, {}),
              ElementsAre("spec.disruptionMode: Forbidden"));
}

TEST(PodGroupTest, TheStatusOfAClaimIsOfAClaimOfTheGroup) {
  const Doc doc = DocFromJson<Group>(
      R"({"spec":{"schedulingPolicy":{},"resourceClaims":[{"name":"c"}]},
          "status":{"resourceClaimStatuses":[{"name":"c"},{"name":"d"},{"name":"c"}]}})");
  EXPECT_THAT(
      Texts(ValidatePodGroupStatus(Group(doc))),
      ElementsAre("status.resourceClaimStatuses[1].name: Invalid value: \"d\": must match the name of an "
                  "entry in `spec.resourceClaims`",
                  "status.resourceClaimStatuses[2]: Duplicate value: {\"name\":\"c\"}"));
}

TEST(WorkloadTest, HasTemplatesThatStay) {
  const Doc none = DocFromJson<WorkloadDoc>(R"({"spec":{"podGroupTemplates":[]}})");
  const Doc one = DocFromJson<WorkloadDoc>(
      R"({"spec":{"podGroupTemplates":[{"name":"T","schedulingPolicy":{"basic":{}},"priority":1000000001}]}})");
  EXPECT_THAT(Texts(ValidateWorkload(WorkloadDoc(none), WorkloadDoc(), kAll)),
              ElementsAre("spec.podGroupTemplates: Required value"));
  EXPECT_EQ(ValidateWorkload(WorkloadDoc(one), WorkloadDoc(), kAll).size(), 2u);
  EXPECT_THAT(Texts(ValidateWorkload(WorkloadDoc(one), WorkloadDoc(one), kAll)), IsEmpty());
  EXPECT_THAT(Texts(ValidateWorkload(WorkloadDoc(none), WorkloadDoc(one), kAll)),
              ElementsAre("spec.podGroupTemplates: Invalid value: null: field is immutable",
                          "spec.podGroupTemplates: Required value"));
}

}  // namespace
}  // namespace keelson::api::scheduling
