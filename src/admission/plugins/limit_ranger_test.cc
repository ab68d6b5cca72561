#include "admission/plugins/limit_ranger.h"

#include <gtest/gtest.h>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

class LimitRangerTest : public ::testing::Test {
 protected:
  void Limit(const std::string& limits) {
    objects_.Add("", "limitranges", R"({"metadata":{"name":"r"},"spec":{"limits":[)" + limits + "]}}");
  }
  static std::string Pod(const std::string& resources) {
    return R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{)" + resources +
           "}}]}}";
  }
  std::string Refused(const std::string& pod) {
    Write write("", "pods", pod);
    return Refusal(write.Validate(plugin_));
  }

  FakeObjects objects_;
  const LimitRanger plugin_{objects_};
};

TEST_F(LimitRangerTest, ContainersGetWhatTheyDoNotSay) {
  Limit(R"({"type":"Container","default":{"cpu":"2","memory":"1Gi"},"defaultRequest":{"cpu":"1"}})");
  Write write("", "pods", Pod(R"("limits":{"memory":"2Gi"})"));
  EXPECT_EQ(Refusal(write.Mutate(plugin_)), "");
  const api::core_v1::PodView pod(write.object());
  const auto resources = pod.spec().containers()[0].resources();
  EXPECT_EQ(resources.requests().Find("cpu")->string(), "1");
  EXPECT_EQ(resources.limits().Find("cpu")->string(), "2");
  EXPECT_EQ(resources.limits().Find("memory")->string(), "2Gi");
  EXPECT_EQ(pod.metadata().annotations().Find("kubernetes.io/limit-ranger")->string(),
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
}

TEST_F(LimitRangerTest, BoundsAreNamedWhenTheyAreBroken) {
  Limit(R"({"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"1"}})");
  EXPECT_EQ(Refused(Pod(R"("requests":{"cpu":"100m"},"limits":{"cpu":"1"})")), "");
  EXPECT_EQ(Refused(Pod(R"("requests":{"cpu":"99m"},"limits":{"cpu":"2"})")),
            "pods \"p\" is forbidden: [minimum cpu usage per Container is 100m, but request is 99m, "
            "maximum cpu usage per Container is 1, but limit is 2]");
  EXPECT_EQ(Refused(Pod("")),
            "pods \"p\" is forbidden: [minimum cpu usage per Container is 100m.  No request is specified, "
            "maximum cpu usage per Container is 1.  No limit is specified]");
}

TEST_F(LimitRangerTest, TheRatioOfLimitToRequestIsBounded) {
  Limit(R"({"type":"Pod","maxLimitRequestRatio":{"memory":"1500m"}})");
  EXPECT_EQ(Refused(Pod(R"("requests":{"memory":"2Mi"},"limits":{"memory":"3Mi"})")), "");
  EXPECT_EQ(Refused(Pod(R"("requests":{"memory":"1Mi"},"limits":{"memory":"2Mi"})")),
            "pods \"p\" is forbidden: memory max limit to request ratio per Pod is 1500m, but provided ratio "
            "is 2.000000");
}

TEST_F(LimitRangerTest, OnlyWhatCanChangeIsChecked) {
  Limit(R"({"type":"Container","max":{"cpu":"1"}})");
  const std::string pod = Pod(R"("limits":{"cpu":"2"})");
  Write update("", "pods", pod, pod);
  EXPECT_EQ(Refusal(update.Validate(plugin_)), "");
  Attributes resize = update.request();
  resize.subresource = "resize";
  EXPECT_NE(Refusal(base::SyncWait(plugin_.Validate(resize))), "");
}

TEST_F(LimitRangerTest, ClaimsAreBoundedByWhatTheyRequest) {
  Limit(R"({"type":"PersistentVolumeClaim","max":{"storage":"1Gi"}})");
  Write write("", "persistentvolumeclaims",
              R"({"metadata":{"name":"c"},"spec":{"resources":{"requests":{"storage":"2Gi"}}}})");
  EXPECT_EQ(
      Refusal(write.Validate(plugin_)),
      "persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, "
      "but request is 2Gi");
}

}  // namespace
}  // namespace keelson::admission
