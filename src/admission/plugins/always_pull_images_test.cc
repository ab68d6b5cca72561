#include "admission/plugins/always_pull_images.h"

#include <gtest/gtest.h>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"
#include "api/pods/pod_spec.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodView;

const AlwaysPullImages kPlugin;

// The pull policies of the containers, then those of the image volumes.
std::string Policies(const Write& write) {
  std::string policies;
  const auto spec = PodView(write.object()).spec();
  api::pods::EachContainer(
      spec, [&](auto container) { policies.append(container.image_pull_policy()).append(" "); });
  for (const auto volume : spec.volumes())
    if (const auto image = volume.volume_source().image())
      policies.append("volume:").append(image.pull_policy()).append(" ");
  return policies;
}

constexpr std::string_view kEverySort =
    R"("initContainers":[{"name":"i","image":"x"}],
       "containers":[{"name":"c","image":"x","imagePullPolicy":"Never"},{"name":"d","image":"y","imagePullPolicy":"Always"}],
       "ephemeralContainers":[{"name":"e","image":"x","imagePullPolicy":"IfNotPresent"}],
       "volumes":[{"name":"v","image":{"reference":"z","pullPolicy":"IfNotPresent"}},{"name":"w","emptyDir":{}}])";

TEST(AlwaysPullImagesTest, EveryImageIsPulled) {
  Write write("", "pods", Pod(kEverySort));
  EXPECT_TRUE(write.Mutate(kPlugin));
  EXPECT_EQ(Policies(write), "Always Always Always Always volume:Always ");
  EXPECT_TRUE(write.Validate(kPlugin));
}

TEST(AlwaysPullImagesTest, WhatIsNotPulledIsRefusedAllAtOnceAndWithoutAReason) {
  Write write("", "pods", Pod(kEverySort));
  const Verdict refused = write.Validate(kPlugin);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 500);
  EXPECT_EQ(refused.error().reason, "");
  EXPECT_EQ(refused.error().message,
            "[pods \"p\" is forbidden: spec.initContainers[0].imagePullPolicy: Unsupported value: \"\": "
            "supported values: \"Always\", "
            "pods \"p\" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: \"Never\": "
            "supported values: \"Always\", "
            "pods \"p\" is forbidden: spec.ephemeralContainers[0].imagePullPolicy: Unsupported value: "
            "\"IfNotPresent\": supported values: \"Always\", "
            "pods \"p\" is forbidden: spec.volumes[0].image.pullPolicy: Unsupported value: "
            "\"IfNotPresent\": supported values: \"Always\"]");
  Write one("", "pods", Pod(R"("containers":[{"name":"c","imagePullPolicy":"Never"}])"));
  EXPECT_EQ(Refusal(one.Validate(kPlugin)),
            "pods \"p\" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: \"Never\": "
            "supported values: \"Always\"");
}

TEST(AlwaysPullImagesTest, AnUpdateWithoutANewImageIsLeftAlone) {
  const auto after = [](std::string_view now) {
    Write write("", "pods", Pod(now),
                Pod(R"("containers":[{"name":"c","image":"x"},{"name":"d","image":"y"}])"));
    EXPECT_TRUE(write.Mutate(kPlugin));
    EXPECT_TRUE(write.Validate(kPlugin));
    return Policies(write);
  };
  EXPECT_EQ(after(R"("containers":[{"name":"c","image":"y","imagePullPolicy":"Never"}])"), "Never ");
  EXPECT_EQ(after(R"("containers":[{"name":"c","image":"z","imagePullPolicy":"Never"}])"), "Always ");
}

TEST(AlwaysPullImagesTest, SubresourcesAreNotItsConcern) {
  const Concern concern = kPlugin.ConcernWith(Resource("", "pods"), "ephemeralcontainers");
  EXPECT_FALSE(concern.mutates || concern.validates);
}

}  // namespace
}  // namespace keelson::admission
