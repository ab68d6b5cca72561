#include "app/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::app {
namespace {

using ::testing::ElementsAre;
using Servers = std::vector<std::string>;

Config With(std::vector<EtcdOverride> overrides) {
  Config config;
  config.etcd_servers_overrides = std::move(overrides);
  return config;
}

TEST(BackendsTest, TheSameServersInAnotherOrderAreOneCluster) {
  const Config config = With({{"", "events", {"http://a", "http://b"}},
                              {"coordination.k8s.io", "leases", {"http://c"}},
                              {"", "pods", {"http://b", "http://a"}}});
  EXPECT_THAT(OverrideClusters(config), ElementsAre(Servers{"http://a", "http://b"}, Servers{"http://c"}));
  EXPECT_EQ(OverrideClusterOf(config, "", "events"), 0U);
  EXPECT_EQ(OverrideClusterOf(config, "coordination.k8s.io", "leases"), 1U);
  EXPECT_EQ(OverrideClusterOf(config, "", "pods"), 0U);
  EXPECT_EQ(OverrideClusterOf(config, "", "leases"), std::nullopt);
  EXPECT_EQ(OverrideClusterOf(config, "events.k8s.io", "events"), std::nullopt);
}

TEST(BackendsTest, AnOverrideOfAResourceCountsMoreThanOneOfItsGroupAndTheLastOfSeveral) {
  const Config config = With({{"apps", "deployments", {"http://a"}},
                              {"apps", "*", {"http://b"}},
                              {"batch", "jobs", {"http://a"}},
                              {"batch", "jobs", {"http://b"}}});
  EXPECT_EQ(OverrideClusterOf(config, "apps", "deployments"), 0U);
  EXPECT_EQ(OverrideClusterOf(config, "apps", "replicasets"), 1U);
  EXPECT_EQ(OverrideClusterOf(config, "batch", "jobs"), 1U);
  EXPECT_EQ(OverrideClusterOf(config, "batch", "cronjobs"), std::nullopt);
}

}  // namespace
}  // namespace keelson::app
