#include "storage/memory/memory_backend.h"

#include <gmock/gmock.h>

#include <future>
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

// Has each revision read by another thread at the moment it is told of it.
class ReadingObserver final : public Observer {
 public:
  explicit ReadingObserver(Backend& backend) : backend_(backend) {}
  void OnChanges(std::span<const Change> changes, Revision revision) override {
    if (changes.empty()) return;
    auto read = std::async(std::launch::async, [&] { return Dump(backend_, "", revision); });
    seen_.push_back(read.get());
  }
  void OnBroken(const Error& error) override { ADD_FAILURE() << error.detail; }

  const std::vector<std::vector<std::string>>& seen() const { return seen_; }

 private:
  Backend& backend_;
  std::vector<std::vector<std::string>> seen_;
};

TEST(MemoryBackendTest, WhoIsToldOfARevisionCanReadIt) {
  using testing::ElementsAre;
  auto backend = OpenMemoryBackend();
  ReadingObserver observer(*backend);
  auto feed = backend->Subscribe("", 1, observer);
  ASSERT_TRUE(feed);
  Put(*backend, "a", "1");
  Put(*backend, "a", "2");
  EXPECT_FALSE(backend->Range("", "", {.revision = 4}));  // nobody was told of that one
  feed->reset();
  EXPECT_THAT(observer.seen(), ElementsAre(ElementsAre("a=1"), ElementsAre("a=2")));
}

}  // namespace
}  // namespace keelson::storage
