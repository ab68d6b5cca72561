#include "storage/embedded/committer.h"

#include <gmock/gmock.h>

#include <map>
#include <thread>

#include "base/sync_wait.h"
#include "storage/embedded/embedded_backend.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

using Room = Engine::Room;

// What a test decides of a disk, and sees of it. The engine on it goes with its backend.
struct Disk {
  std::atomic<Room> room{Room::kAny};
  std::atomic<bool> full{false};  // until the engine has thrown off its ballast
  std::atomic<bool> merging_fails{false};
  std::atomic<int> merges{0};
};

// Keeps the newest values, on a disk that is as full as the test says.
class FullEngine final : public Engine {
 public:
  explicit FullEngine(Disk& disk) : disk_(disk) {}

  Result<State> Load() override { return State{.current = 1}; }
  Result<std::optional<Head>> FindHead(std::string_view key) override {
    auto it = values_.find(key);
    if (it == values_.end()) return std::optional<Head>();
    return std::optional<Head>(
        {.create_revision = it->second.create_revision, .mod_revision = it->second.mod_revision});
  }
  Result<std::vector<std::string>> KeysOf(LeaseId, size_t) override { return std::vector<std::string>(); }
  Result<void> Write(const Batch& batch) override {
    if (disk_.full) return base::Err(Error{Code::kUnreachable, "No space left on device"});
    for (const Mutation& mutation : batch.mutations) {
      const Change& change = mutation.change;
      if (change.type == Write::Type::kDelete)
        values_.erase(values_.find(change.key));
      else
        values_[std::string(change.key)] = {.key = std::string(change.key),
                                            .value = change.value,
                                            .create_revision = change.create_revision,
                                            .mod_revision = change.revision};
    }
    return {};
  }
  Result<void> Recover(Revision) override {
    disk_.full = false;
    return {};
  }
  Result<bool> Sweep() override { return false; }
  bool SpaceIsShort() const override { return disk_.room != Room::kAny; }
  Result<bool> RegainSpace() override {
    ++disk_.merges;
    if (disk_.merging_fails) return base::Err(Error{Code::kUnreachable, "no room to merge files"});
    if (disk_.room != Room::kAny) return base::Err(Error{Code::kFull, "something must be deleted"});
    return false;
  }
  Room room() const override { return disk_.room; }
  Result<void> Health() const override { return {}; }

  class NewestView final : public View {
   public:
    explicit NewestView(FullEngine& engine) : engine_(engine) {}
    Result<RangeResult> Range(std::string_view, std::string_view, Revision, const RangeOptions&) override {
      return RangeResult();
    }
    Result<std::optional<KeyValue>> Get(std::string_view key, Revision) override {
      auto it = engine_.values_.find(key);
      if (it == engine_.values_.end()) return std::optional<KeyValue>();
      return std::optional<KeyValue>(it->second);
    }
    Result<void> ReadLog(std::string_view, Revision, Revision, const Sink&) override { return {}; }

   private:
    FullEngine& engine_;
  };
  Result<std::unique_ptr<View>> OpenView() override { return std::make_unique<NewestView>(*this); }

 private:
  Disk& disk_;
  std::map<std::string, KeyValue, std::less<>> values_;
};

class FullDiskTest : public testing::Test {
 protected:
  // A store with some values whose disk becomes full.
  void Fill(Room room) {
    backend_ = std::move(
        *EmbeddedBackend::Open(std::make_unique<FullEngine>(disk_),
                               {.recovery_interval = std::chrono::milliseconds(1), .patience = patience_}));
    for (const char* key : {"a", "b", "c"}) Put(*backend_, key, std::string(1000, 'x'));
    disk_.room = room;
    disk_.full = true;
    EXPECT_FALSE(Takes(PutTxn("d", "1")));
    AwaitMerges(1);
  }
  bool Takes(Txn txn) { return base::SyncWait(backend_->Commit(std::move(txn))).has_value(); }
  void AwaitMerges(int count) {
    for (const int before = disk_.merges; disk_.merges < before + count;) std::this_thread::yield();
  }

  Disk disk_;
  std::chrono::milliseconds patience_ = std::chrono::minutes(1);
  std::unique_ptr<Backend> backend_;
};

TEST_F(FullDiskTest, DeletionsAndWhatHardlyGrowsGoThrough) {
  Fill(Room::kReplacements);
  EXPECT_FALSE(backend_->Health());
  EXPECT_FALSE(Takes(PutTxn("new", "1")));
  EXPECT_FALSE(Takes(PutTxn("a", std::string(10'000, 'y'))));
  EXPECT_FALSE(base::SyncWait(backend_->GrantLease(std::chrono::seconds(10))));
  EXPECT_TRUE(Takes(PutTxn("a", std::string(1000, 'y'))));
  EXPECT_TRUE(Takes(PutTxn("a", "shrunk")));
  EXPECT_TRUE(Takes(PutTxn("b", std::string(1100, 'y')))) << "a mark that it is to be deleted";
  EXPECT_TRUE(Takes(DeleteTxn("b")));
  EXPECT_TRUE(Takes(DeleteTxn("c")));
  EXPECT_FALSE(Takes(PutTxn("b", "1")));
  // What fails anyway fails for its own reason.
  Txn creation = PutTxn("a", std::string(5000, 'y'));
  creation.compares.push_back({.key = "a"});
  auto result = base::SyncWait(backend_->Commit(std::move(creation)));
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->succeeded);
}

TEST_F(FullDiskTest, WhenLittleIsLeftOnlyDeletionsGoThrough) {
  Fill(Room::kDeletions);
  EXPECT_FALSE(Takes(PutTxn("a", "shrunk")));
  EXPECT_TRUE(Takes(DeleteTxn("a")));
}

TEST_F(FullDiskTest, ADeletionWaitsForRoom) {
  Fill(Room::kNone);
  std::thread deletes([&] { EXPECT_TRUE(Takes(DeleteTxn("a"))); });
  EXPECT_FALSE(Takes(PutTxn("b", "shrunk")));
  AwaitMerges(3);
  disk_.room = Room::kDeletions;
  deletes.join();
}

TEST_F(FullDiskTest, ADeletionWhoseWriteFailsIsTriedAgain) {
  Fill(Room::kDeletions);
  for (const char* key : {"a", "b", "c"}) {
    disk_.full = true;
    EXPECT_TRUE(Takes(DeleteTxn(key)));
    EXPECT_FALSE(disk_.full);
  }
}

TEST_F(FullDiskTest, ADeletionDoesNotWaitForEver) {
  patience_ = std::chrono::milliseconds(5);
  Fill(Room::kNone);
  EXPECT_FALSE(Takes(DeleteTxn("a")));
}

TEST_F(FullDiskTest, AStoreThatIsClosedRefusesTheDeletionsThatWait) {
  Fill(Room::kNone);
  std::atomic<bool> refused = false;
  base::Spawn([](Backend& backend, std::atomic<bool>& refused) -> base::Task<void> {
    refused = !co_await backend.Commit(DeleteTxn("a"));
  }(*backend_, refused));
  AwaitMerges(3);
  EXPECT_FALSE(refused);
  backend_.reset();
  EXPECT_TRUE(refused);
}

TEST_F(FullDiskTest, EverythingIsTakenAgainOnceThereIsRoom) {
  Fill(Room::kReplacements);
  EXPECT_TRUE(Takes(DeleteTxn("a")));
  disk_.room = Room::kAny;
  while (!backend_->Health()) std::this_thread::yield();
  EXPECT_TRUE(Takes(PutTxn("new", std::string(5000, 'x'))));
}

TEST_F(FullDiskTest, DeletionsGoThroughEvenIfFilesCannotBeMerged) {
  disk_.merging_fails = true;
  Fill(Room::kDeletions);
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(Takes(DeleteTxn(key)));
  EXPECT_FALSE(Takes(PutTxn("new", "1")));
  disk_.merging_fails = false;
  disk_.room = Room::kAny;
  while (!backend_->Health()) std::this_thread::yield();
}

}  // namespace
}  // namespace keelson::storage
