// Tests of the admission plug-ins for pod groups and for the jobs that make them.
#include <gtest/gtest.h>

#include "admission/plugins/job_validation.h"
#include "admission/plugins/pod_group_protection.h"
#include "admission/plugins/pod_group_workload_exists.h"
#include "admission/plugins/priority.h"
#include "admission/testing/fakes.h"
#include "api/generated/scheduling_v1alpha2.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kScheduling = "scheduling.k8s.io";

Write Group(const std::string& spec) {
  return Write(kScheduling, "podgroups", R"({"metadata":{"name":"g"},"spec":{)" + spec + "}}");
}

TEST(PodGroupProtectionTest, AGroupIsBornWithTheFinalizer) {
  Write write = Group(R"("schedulingPolicy":{"basic":{}})");
  EXPECT_TRUE(write.Mutate(PodGroupProtection()).has_value());
  EXPECT_TRUE(api::HasFinalizer(api::MetadataOf(write.object()), "scheduling.k8s.io/podgroup-protection"));
}

TEST(PodGroupWorkloadExistsTest, TheTemplateIsThere) {
  FakeObjects objects;
  const PodGroupWorkloadExists plugin(objects);
  const auto ask = [&](const std::string& workload, const std::string& group) {
    return Refusal(Group(R"("podGroupTemplateRef":{"workload":{"workloadName":")" + workload +
                         R"(","podGroupTemplateName":")" + group + "\"}}")
                       .Validate(plugin));
  };
  const std::string forbidden = "podgroups.scheduling.k8s.io \"g\" is forbidden: PodGroup rejected: ";
  EXPECT_EQ(Refusal(Group(R"("schedulingPolicy":{})").Validate(plugin)), "");
  EXPECT_EQ(ask("w", "t"), forbidden + "Workload \"w\" not found");
  objects.Add(kScheduling, "workloads",
              R"({"metadata":{"name":"w"},"spec":{"podGroupTemplates":[{"name":"t"}]}})");
  EXPECT_EQ(ask("w", "t"), "");
  EXPECT_EQ(ask("w", "u"), forbidden + "PodGroupTemplate \"u\" not found in Workload \"w\"");
}

TEST(PodGroupPriorityTest, AGroupGetsThePriorityOfItsClassWhereThatIsOn) {
  FakeObjects objects;
  objects.Add(kScheduling, "priorityclasses", R"({"metadata":{"name":"high"},"value":7})");
  EXPECT_FALSE(Priority(objects).ConcernWith(Resource(kScheduling, "podgroups"), "").mutates);
  const Priority plugin(objects, /*of_pod_groups=*/true);
  Write write = Group(R"("priorityClassName":"high")");
  EXPECT_EQ(Refusal(write.Mutate(plugin)), "");
  EXPECT_EQ(api::scheduling_v1alpha2::PodGroupView(write.object()).spec().priority(), 7);
  EXPECT_EQ(
      Refusal(Group(R"("priorityClassName":"high","priority":8)").Mutate(plugin)),
      "podgroups.scheduling.k8s.io \"g\" is forbidden: priority set in the pod group (8) must match the "
      "priority computed (7) based on the priority class set in the spec");
}

TEST(JobValidationTest, AGangKeepsItsSize) {
  FakeObjects objects;
  objects.Add(kScheduling, "podgroups",
              R"({"metadata":{"name":"b"},"spec":{"schedulingPolicy":{"basic":{}}}})");
  objects.Add(kScheduling, "podgroups",
              R"({"metadata":{"name":"g"},"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
  objects.Add(kScheduling, "podgroups",
              R"({"metadata":{"name":"o","ownerReferences":[{"controller":true,"uid":"owner"}]},
                  "spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
  const JobValidation plugin(objects);
  const auto ask = [&](const std::string& uid, const std::string& group) {
    const auto job = [&](int parallelism) {
      return R"({"metadata":{"name":"j","uid":")" + uid + R"("},"spec":{"parallelism":)" +
             std::to_string(parallelism) + R"(,"template":{"spec":{)" + group + "}}}}";
    };
    return Refusal(Write("batch", "jobs", job(2), job(1)).Validate(plugin));
  };
  const std::string refusal =
      "jobs.batch \"j\" is forbidden: cannot change parallelism for a Job referencing gang-scheduled "
      "PodGroup ";
  EXPECT_EQ(ask("u", R"("schedulingGroup":{"podGroupName":"g"})"), refusal + "\"g\"");
  EXPECT_EQ(ask("u", R"("schedulingGroup":{"podGroupName":"b"})"), "");
  EXPECT_EQ(ask("u", R"("schedulingGroup":{"podGroupName":"none"})"), "");
  EXPECT_EQ(ask("u", ""), "");
  EXPECT_EQ(ask("owner", ""), refusal + "\"o\"");
}

}  // namespace
}  // namespace keelson::admission
