#include "api/types/depth.h"

#include <gtest/gtest.h>

#include "api/generated/apps_v1.h"
#include "api/generated/core_v1.h"

namespace keelson::api {
namespace {

TEST(DepthTest, CountsStructsListsAndMapsButNotMetadata) {
  Doc pod(core_v1::kPodType);
  EXPECT_EQ(DepthOf(*pod.root()), 1);
  core_v1::PodEditor editor(pod);
  editor.mutable_metadata().put_labels("a", "b");
  EXPECT_EQ(DepthOf(*pod.root()), 1);
  // spec, containers, the container, its ports, the port
  editor.mutable_spec().add_containers().add_ports().set_container_port(1);
  EXPECT_EQ(DepthOf(*pod.root()), 6);
  EXPECT_TRUE(IsDeeperThan(*pod.root(), 5));
  EXPECT_FALSE(IsDeeperThan(*pod.root(), 6));
}

TEST(DepthTest, JsonThatIsKeptAsTextCountsByItsBrackets) {
  Doc revision(apps_v1::kControllerRevisionType);
  apps_v1::ControllerRevisionEditor(revision).set_data(R"({"a":["[[[",{"\"{":1}],"b":[]})");
  EXPECT_EQ(DepthOf(*revision.root()), 4);
  apps_v1::ControllerRevisionEditor(revision).set_data(std::string(9'000, '[') + std::string(9'000, ']'));
  EXPECT_EQ(DepthOf(*revision.root()), 9'001);
  EXPECT_TRUE(IsDeeperThan(*revision.root(), kMaxObjectDepth));
}

}  // namespace
}  // namespace keelson::api
