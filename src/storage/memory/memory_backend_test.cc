#include "storage/memory/memory_backend.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/sync_wait.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, BackendContract,
                         testing::Values(BackendFactory{
                             [](const base::Clock& clock) { return OpenMemoryBackend({.clock = &clock}); }}));

TEST(MemoryBackendTest, ALeaseEndsByItselfWhileNothingElseHappens) {
  auto backend = OpenMemoryBackend();
  auto lease = base::SyncWait(backend->GrantLease(std::chrono::seconds(1)));
  ASSERT_TRUE(lease);
  Put(*backend, "a", "1", *lease);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (backend->CurrentRevision() == 2 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THAT(Dump(*backend, ""), testing::IsEmpty());
}

}  // namespace
}  // namespace keelson::storage
