#include "app/cacher_options.h"

#include <gtest/gtest.h>

namespace keelson::app {
namespace {

const api::ResourceDesc& Deployments() { return *api::FindResource("apps", "v1", "deployments"); }

TEST(CacherOptionsTest, TheWindowIsTheConfiguredOne) {
  Config config;
  config.watch_window.bytes = 5 << 20;
  config.watch_window.age = std::chrono::minutes(7);
  const auto options = CacherOptionsFor(config, Deployments());
  EXPECT_EQ(options.log.max_bytes, size_t{5} << 20);
  EXPECT_EQ(options.log.max_age, std::chrono::minutes(7));
}

TEST(CacherOptionsTest, OneResourceCanBeLeftASmallWindow) {
  Config config;
  config.watch_window.bytes = 5 << 20;
  config.watch_window.off_for.insert("deployments.apps");
  EXPECT_LT(CacherOptionsFor(config, Deployments()).log.max_bytes, size_t{5} << 20);
  EXPECT_EQ(CacherOptionsFor(config, *api::FindResource("", "v1", "pods")).log.max_bytes, size_t{5} << 20);
}

TEST(CacherOptionsTest, AQuotaIsThatOfTheResource) {
  Config config;
  config.storage_quotas["deployments.apps"] = 12345;
  EXPECT_EQ(CacherOptionsFor(config, Deployments()).quota_bytes, 12345u);
  EXPECT_NE(CacherOptionsFor(config, *api::FindResource("", "v1", "pods")).quota_bytes, 12345u);
}

}  // namespace
}  // namespace keelson::app
