// The Cacher is an Interface: it passes the suite over every embedded engine.
#include "base/testing/temp_dir.h"
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"
#include "storage/rocksdb/rocksdb_backend.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {
namespace {

std::unique_ptr<Interface> Over(Backend& backend, const api::ResourceDesc& resource) {
  auto cacher = Cacher::Start(resource, backend);
  EXPECT_TRUE(cacher);
  return std::move(*cacher);
}

OpenStorage OverMemory(const api::ResourceDesc& resource) {
  std::shared_ptr<Backend> backend = OpenMemoryBackend();
  return {.below = backend, .storage = Over(*backend, resource)};
}

OpenStorage OverRocksDb(const api::ResourceDesc& resource) {
  struct OnDisk {
    base::testing::TempDir dir;
    std::unique_ptr<Backend> backend;
  };
  auto disk = std::make_shared<OnDisk>();
  disk->backend = std::move(*OpenRocksDbBackend({.path = (disk->dir.path() / "db").string()}));
  return {.below = disk, .storage = Over(*disk->backend, resource)};
}

INSTANTIATE_TEST_SUITE_P(Memory, InterfaceSuite, testing::Values(InterfaceFactory{OverMemory}));
INSTANTIATE_TEST_SUITE_P(RocksDb, InterfaceSuite, testing::Values(InterfaceFactory{OverRocksDb}));

}  // namespace
}  // namespace keelson::storage
