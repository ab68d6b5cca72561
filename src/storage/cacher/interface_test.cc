// The Cacher is an Interface: it passes the suite over every embedded engine.
#include "storage/cacher/cacher.h"
#include "storage/testing/interface_backends.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {
namespace {

std::unique_ptr<Interface> OpenCacher(const api::ResourceDesc& resource, Backend& backend,
                                      const LimitsForTest& limits) {
  auto cacher = Cacher::Start(
      resource, backend, {.max_object_bytes = limits.max_object_bytes, .quota_bytes = limits.quota_bytes});
  EXPECT_TRUE(cacher);
  return std::move(*cacher);
}

INSTANTIATE_TEST_SUITE_P(CacherOverMemory, InterfaceSuite,
                         testing::Values(InterfaceFactory{MemoryForTest, OpenCacher}));
INSTANTIATE_TEST_SUITE_P(CacherOverRocksDb, InterfaceSuite,
                         testing::Values(InterfaceFactory{RocksDbForTest, OpenCacher}));

}  // namespace
}  // namespace keelson::storage
