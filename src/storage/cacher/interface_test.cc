// The Cacher is an Interface: it passes the suite over every embedded engine.
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {
namespace {

InterfaceFactory OverMemory(size_t log_bytes) {
  return {[log_bytes](const api::ResourceDesc& resource) {
    std::shared_ptr<Backend> backend = OpenMemoryBackend();
    auto cacher = Cacher::Start(resource, *backend, {.log = {.max_bytes = log_bytes}, .load_page = 2});
    EXPECT_TRUE(cacher);
    return OpenStorage{.below = backend, .storage = std::move(*cacher)};
  }};
}

INSTANTIATE_TEST_SUITE_P(Memory, InterfaceSuite, testing::Values(OverMemory(32 << 20)));

}  // namespace
}  // namespace keelson::storage
