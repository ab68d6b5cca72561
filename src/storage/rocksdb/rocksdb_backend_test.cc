#include "storage/rocksdb/rocksdb_backend.h"

#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <thread>

#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/ballast.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/faulty_env.h"
#include "storage/rocksdb/format.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string DbPath(const base::testing::TempDir& dir) { return (dir.path() / "db").string(); }

// Its directory goes with it.
class TemporaryBackend final : public ForwardingBackend {
 public:
  explicit TemporaryBackend(const base::Clock& clock) {
    auto opened = OpenRocksDbBackend({.path = DbPath(dir_), .clock = &clock});
    EXPECT_TRUE(opened) << opened.error().detail;
    real_ = std::move(*opened);
  }

 private:
  Backend& inner() const override { return *real_; }

  base::testing::TempDir dir_;
  std::unique_ptr<Backend> real_;
};

INSTANTIATE_TEST_SUITE_P(RocksDb, BackendContract,
                         testing::Values(BackendFactory{[](const base::Clock& clock) {
                           return std::make_unique<TemporaryBackend>(clock);
                         }}));

class RocksDbBackendTest : public testing::Test {
 protected:
  void Open() {
    auto opened = OpenRocksDbBackend({.path = DbPath(dir_),
                                      .clock = &clock_,
                                      .recovery_interval = std::chrono::milliseconds(1),
                                      .env = env_.get()});
    ASSERT_TRUE(opened) << opened.error().detail;
    backend_ = std::move(*opened);
  }
  void Reopen() {
    backend_.reset();
    Open();
  }
  // The store as it opens after the power was lost now; it holds everything that this one does.
  std::unique_ptr<Backend> AfterPowerLoss() {
    const std::string copy = DbPath(dir_) + "-after-" + std::to_string(++copies_);
    disk_->CopyAfterPowerLoss(DbPath(dir_), copy);
    auto after = OpenRocksDbBackend({.path = copy, .clock = &clock_});
    if (!after) {
      ADD_FAILURE() << after.error().detail;
      return nullptr;
    }
    EXPECT_EQ((*after)->CurrentRevision(), backend_->CurrentRevision());
    EXPECT_EQ(Dump(**after, ""), Dump(*backend_, ""));
    return std::move(*after);
  }
  bool WaitFor(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  base::testing::TempDir dir_;
  int copies_ = 0;
  base::FakeClock clock_;
  std::shared_ptr<FaultyFileSystem> disk_ = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<::rocksdb::Env> env_ = ::rocksdb::NewCompositeEnv(disk_);
  std::unique_ptr<Backend> backend_;
};

// ---- Restarts

TEST_F(RocksDbBackendTest, AReopenedStoreHasItsStateItsHistoryAndItsRevision) {
  Open();
  Put(*backend_, "a", "1");
  Put(*backend_, "b", "1");
  Put(*backend_, "a", "2");
  Delete(*backend_, "b");
  Reopen();
  EXPECT_EQ(backend_->CurrentRevision(), 5);
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=2"));
  EXPECT_THAT(Dump(*backend_, "", 3), ElementsAre("a=1", "b=1"));
  RecordingObserver observer;
  auto feed = backend_->Subscribe("", 1, observer);
  ASSERT_TRUE(feed);
  ASSERT_THAT(observer.changes(), SizeIs(4));
  EXPECT_EQ(observer.changes()[2], (SeenChange{Write::Type::kPut, "a", "2", 2, 4, 0, nullptr}));
  EXPECT_EQ(observer.changes()[3].type, Write::Type::kDelete);
  EXPECT_EQ(Put(*backend_, "c", "1"), 6);
}

TEST_F(RocksDbBackendTest, AReopenedStoreKnowsWhatWasCompacted) {
  Open();
  for (int i = 0; i < 10; ++i) Put(*backend_, "a", std::to_string(i));
  Delete(*backend_, "a");
  ASSERT_TRUE(base::SyncWait(backend_->Compact(backend_->CurrentRevision())));
  Reopen();
  EXPECT_EQ(backend_->CompactedRevision(), 12);
  EXPECT_EQ(backend_->CurrentRevision(), 12);
  EXPECT_THAT(Dump(*backend_, ""), IsEmpty());
  EXPECT_EQ(backend_->Range("", "", {.revision = 11}).error().code, Code::kExpired);
}

TEST_F(RocksDbBackendTest, ALeaseThatEndsWhileTheStoreIsClosedTakesItsKeysAtTheNextStart) {
  Open();
  auto lease = base::SyncWait(backend_->GrantLease(std::chrono::seconds(10)));
  auto longer = base::SyncWait(backend_->GrantLease(std::chrono::seconds(100)));
  ASSERT_TRUE(lease && longer);
  Put(*backend_, "a", "1", *lease);
  Put(*backend_, "b", "1", *longer);
  backend_.reset();
  clock_.Advance(std::chrono::seconds(11));
  Open();
  EXPECT_TRUE(WaitFor([&] { return backend_->CurrentRevision() == 4; }));
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("b=1"));
  EXPECT_THAT(Dump(*backend_, "", 3), ElementsAre("a=1", "b=1"));
  Put(*backend_, "c", "1", *longer);
  clock_.Advance(std::chrono::seconds(100));
  Reopen();
  EXPECT_TRUE(WaitFor([&] { return MustRange(*backend_, "").count == 0; }));
}

TEST_F(RocksDbBackendTest, CompactionFreesWhatNobodyCanAskFor) {
  Open();
  const std::string value(1000, 'v');
  for (int i = 0; i < 1000; ++i) Put(*backend_, "k" + std::to_string(i % 3), value);
  Delete(*backend_, "k2");
  ASSERT_TRUE(base::SyncWait(backend_->Compact(backend_->CurrentRevision())));
  Put(*backend_, "k1", value);
  ASSERT_TRUE(base::SyncWait(backend_->Compact(backend_->CurrentRevision())));
  // Reopened, the store goes on where the sweep was cut short; its end is seen below.
  Reopen();
  Put(*backend_, "k1", value);
  auto records = [&] {
    backend_.reset();
    ::rocksdb::DB* db = nullptr;
    std::vector<::rocksdb::ColumnFamilyHandle*> families;
    EXPECT_TRUE(::rocksdb::DB::OpenForReadOnly(
                    {}, DbPath(dir_), {{::rocksdb::kDefaultColumnFamilyName, {}}, {format::kLogFamily, {}}},
                    &families, &db)
                    .ok());
    size_t count = 0;
    std::unique_ptr<::rocksdb::Iterator> it(db->NewIterator({}, families[1]));
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    it.reset();
    for (auto* family : families) db->DestroyColumnFamilyHandle(family);
    delete db;
    Open();
    return count;
  };
  // One version of k0, two of k1: the newest and, from the compacted revision, the one before.
  EXPECT_TRUE(WaitFor([&] { return records() == 3; }));
}

// More than one thread reads.
TEST_F(RocksDbBackendTest, EverythingIsReadFromALongLogWithGaps) {
  constexpr size_t kKeys = 10'000;
  class Counting final : public Receiver {
   public:
    void StartOver() override {}
    void Expect(size_t count) override { values.resize(count); }
    void Take(size_t position, const StoredView& stored) override { values[position] = stored.value; }
    std::vector<std::string> values;
  };
  Open();
  std::vector<std::string> expected;
  for (size_t i = 0; i < kKeys; i += 500) {
    Txn txn;
    for (size_t k = i; k < i + 500; ++k) {
      char key[16];
      std::snprintf(key, sizeof key, "k/%05zu", k * 7919 % kKeys);
      txn.writes.push_back({.key = key, .value = base::Slice::Copy(key)});
    }
    MustCommit(*backend_, std::move(txn));
  }
  for (int i = 0; i < 300; ++i) Put(*backend_, "k/00000", std::to_string(i));  // most of it history
  for (const KeyValue& kv : MustRange(*backend_, "k/").items) expected.emplace_back(kv.value.view());
  for (int opened = 0; opened < 2; ++opened, Reopen()) {
    Counting all;
    EXPECT_EQ(backend_->ReadAll("k/", all, 1), backend_->CurrentRevision());
    EXPECT_EQ(all.values.size(), kKeys);
    EXPECT_EQ(all.values, expected);
  }
}

TEST_F(RocksDbBackendTest, ASecondProcessIsToldThatTheStoreIsInUse) {
  Open();
  auto second = OpenRocksDbBackend({.path = DbPath(dir_)});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().detail, HasSubstr("in use by another process"));
}

TEST_F(RocksDbBackendTest, AnUnknownFormatIsRefusedWithBothVersions) {
  Open();
  backend_.reset();
  {
    auto database = Database::Open(DbPath(dir_), std::make_shared<BackgroundTrouble>());
    ASSERT_TRUE(database) << database.error().detail;
    auto& db = (*database)->db();
    ASSERT_TRUE(
        db.Put({}, (*database)->index(), ::rocksdb::Slice(format::kFormatKey), format::EncodeNumber(77))
            .ok());
  }
  auto opened = OpenRocksDbBackend({.path = DbPath(dir_)});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kCorrupt);
  EXPECT_THAT(opened.error().detail, HasSubstr("format 77; this build reads formats up to 2"));
}

TEST_F(RocksDbBackendTest, ADatabaseOfSomebodyElseIsRefused) {
  ::rocksdb::Options options;
  options.create_if_missing = true;
  ::rocksdb::DB* db = nullptr;
  ASSERT_TRUE(::rocksdb::DB::Open(options, DbPath(dir_), &db).ok());
  ASSERT_TRUE(db->Put({}, "theirs", "1").ok());
  delete db;
  auto opened = OpenRocksDbBackend({.path = DbPath(dir_)});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().detail, HasSubstr("data without a format version"));
}

TEST_F(RocksDbBackendTest, NobodyElseCanReadTheStoreHoweverItsFolderWasMade) {
  using std::filesystem::perms;
  const auto open_to_others = [](const std::filesystem::path& path) {
    return (std::filesystem::status(path).permissions() & (perms::group_all | perms::others_all)) !=
           perms::none;
  };
  std::filesystem::create_directory(DbPath(dir_));
  std::filesystem::permissions(DbPath(dir_), static_cast<perms>(0755));
  Open();
  Put(*backend_, "a", "1");
  EXPECT_FALSE(open_to_others(DbPath(dir_)));
  Reopen();
  for (const auto& file : std::filesystem::directory_iterator(DbPath(dir_))) {
    const bool was_there = file.path().extension() == ".log" && file.file_size() > 0;
    EXPECT_FALSE(was_there && open_to_others(file)) << file;
  }
}

// ---- Syncing

TEST_F(RocksDbBackendTest, APowerLossKeepsEverythingThatWasAcknowledged) {
  Open();
  auto lease = base::SyncWait(backend_->GrantLease(std::chrono::seconds(10)));
  ASSERT_TRUE(lease);
  for (int i = 0; i < 30; ++i) Put(*backend_, "k" + std::to_string(i % 20), std::to_string(i));
  Delete(*backend_, "k3");
  Put(*backend_, "leased", "1", *lease);
  const auto after = AfterPowerLoss();
  ASSERT_TRUE(after);
  EXPECT_EQ(Dump(*after, "", 20), Dump(*backend_, "", 20));
  clock_.Advance(std::chrono::seconds(11));
  Put(*after, "x", "1");
  EXPECT_THAT(Dump(*after, "leased"), IsEmpty());
}

TEST_F(RocksDbBackendTest, WritersThatWaitTogetherShareASync) {
  Open();
  constexpr int kWriters = 16, kWrites = 20;
  const int before = disk_->log_syncs();
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kWrites; ++i) Put(*backend_, "k" + std::to_string(w), std::to_string(i));
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_LT(disk_->log_syncs() - before, kWriters * kWrites / 2);
}

// ---- Trouble with the disk

TEST(BallastTest, IsThrownOffAndTakenOnAgain) {
  base::testing::TempDir dir;
  const std::string path = (dir.path() / "ballast").string();
  constexpr uint64_t kBytes = 24 << 20;
  Ballast ballast(path, kBytes);
  EXPECT_FALSE(ballast.missing());
  EXPECT_FALSE(ballast.ThrowOff());
  if (!ballast.TakeOn()) GTEST_SKIP() << "this disk allots nothing";
  EXPECT_EQ(std::filesystem::file_size(path), kBytes);
  EXPECT_FALSE(ballast.missing());
  EXPECT_TRUE(ballast.ThrowOff());
  EXPECT_FALSE(ballast.ThrowOff());
  EXPECT_TRUE(Ballast(path, kBytes).missing());
  EXPECT_TRUE(ballast.TakeOn());
  EXPECT_FALSE(Ballast(path, kBytes).missing());
  EXPECT_TRUE(Ballast(path, 0).TakeOn());
  EXPECT_FALSE(Ballast(path, 0).missing());
}

class RocksDbTroubleTest : public RocksDbBackendTest,
                           public testing::WithParamInterface<FaultyFileSystem::Fault> {};

TEST_P(RocksDbTroubleTest, WritesAreRefusedWholeAndResumeByThemselves) {
  Open();
  Put(*backend_, "a", "1");
  RecordingObserver observer;
  auto feed = backend_->Subscribe("", 1, observer);
  ASSERT_TRUE(feed);

  disk_->SetFault(GetParam());
  for (int i = 0; i < 3; ++i) {
    auto refused = base::SyncWait(backend_->Commit(PutTxn("a", "lost")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kUnreachable);
    EXPECT_THAT(refused.error().detail,
                testing::AnyOf(HasSubstr("No space"), HasSubstr("Input/output error")));
  }
  EXPECT_FALSE(base::SyncWait(backend_->GrantLease(std::chrono::seconds(1))));
  EXPECT_FALSE(base::SyncWait(backend_->Compact(2)));
  ASSERT_FALSE(backend_->Health());
  EXPECT_EQ(backend_->Health().error().code, Code::kUnreachable);
  EXPECT_EQ(backend_->CurrentRevision(), 2);
  EXPECT_THAT(observer.changes(), SizeIs(1));

  disk_->SetFault(FaultyFileSystem::Fault::kNone);
  EXPECT_TRUE(WaitFor([&] { return backend_->Health().has_value(); }));
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1"));
  EXPECT_EQ(Put(*backend_, "b", "1"), 3);
  EXPECT_THAT(observer.changes(), SizeIs(2));
  feed->reset();
  Reopen();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "b=1"));
  EXPECT_EQ(backend_->CurrentRevision(), 3);
}

TEST_P(RocksDbTroubleTest, LeasesAndHistorySurviveTrouble) {
  Open();
  auto lease = base::SyncWait(backend_->GrantLease(std::chrono::seconds(10)));
  ASSERT_TRUE(lease);
  Put(*backend_, "a", "1", *lease);
  Put(*backend_, "b", "1");
  disk_->SetFault(GetParam());
  EXPECT_FALSE(base::SyncWait(backend_->Commit(PutTxn("a", "2"))));
  EXPECT_FALSE(base::SyncWait(backend_->Commit(DeleteTxn("b"))));
  disk_->SetFault(FaultyFileSystem::Fault::kNone);
  ASSERT_TRUE(WaitFor([&] { return backend_->Health().has_value(); }));
  EXPECT_THAT(Dump(*backend_, "", 2), ElementsAre("a=1"));
  clock_.Advance(std::chrono::seconds(11));
  Put(*backend_, "c", "1");
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("b=1", "c=1"));
}

TEST_P(RocksDbTroubleTest, ManyWritersAreToldTheTruthThroughRepeatedTrouble) {
  Open();
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  std::vector<int> acknowledged(4, -1);
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; !stop; ++i) {
        Txn txn = PutTxn("k" + std::to_string(w), std::to_string(i));
        auto result = base::SyncWait(backend_->Commit(std::move(txn)));
        if (result) acknowledged[w] = i;
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    const Revision before = backend_->CurrentRevision();
    ASSERT_TRUE(WaitFor([&] { return backend_->CurrentRevision() > before + 10; }));
    disk_->SetFault(GetParam());
    ASSERT_TRUE(WaitFor([&] { return !backend_->Health(); }));
    disk_->SetFault(FaultyFileSystem::Fault::kNone);
  }
  ASSERT_TRUE(WaitFor([&] { return backend_->Health().has_value(); }));
  stop = true;
  for (auto& writer : writers) writer.join();
  std::vector<std::string> expected;
  for (int w = 0; w < 4; ++w)
    expected.push_back("k" + std::to_string(w) + "=" + std::to_string(acknowledged[w]));
  EXPECT_EQ(Dump(*backend_, ""), expected);
  const Revision last = backend_->CurrentRevision();
  Reopen();
  EXPECT_EQ(Dump(*backend_, ""), expected);
  EXPECT_EQ(backend_->CurrentRevision(), last);
}

// What the failed sync was to write can be read until the power is lost, and is not on the disk.
TEST_P(RocksDbTroubleTest, APowerLossAfterTroubleKeepsWhatWasAcknowledgedBeforeAndAfterIt) {
  Open();
  Put(*backend_, "a", "1");
  for (int round = 0; round < 3; ++round) {
    disk_->SetFault(GetParam());
    EXPECT_FALSE(base::SyncWait(backend_->Commit(PutTxn("a", std::string(5000, 'x')))));
    disk_->SetFault(FaultyFileSystem::Fault::kNone);
    ASSERT_TRUE(WaitFor([&] { return backend_->Health().has_value(); }));
    Put(*backend_, "b", std::to_string(round));
    Put(*backend_, "c", std::to_string(round));
    ASSERT_TRUE(AfterPowerLoss());
  }
}

TEST_P(RocksDbTroubleTest, APowerLossAfterTroubleAndARestartKeepsWhatWasAcknowledged) {
  Open();
  Put(*backend_, "a", "1");
  disk_->SetFault(GetParam());
  EXPECT_FALSE(base::SyncWait(backend_->Commit(PutTxn("a", std::string(5000, 'x')))));
  backend_.reset();
  disk_->SetFault(FaultyFileSystem::Fault::kNone);
  Open();
  Put(*backend_, "b", "1");
  ASSERT_TRUE(AfterPowerLoss());
}

INSTANTIATE_TEST_SUITE_P(Disk, RocksDbTroubleTest,
                         testing::Values(FaultyFileSystem::Fault::kNoSpace,
                                         FaultyFileSystem::Fault::kSyncFails,
                                         FaultyFileSystem::Fault::kLogSyncFails),
                         [](const auto& info) {
                           switch (info.param) {
                             case FaultyFileSystem::Fault::kNoSpace: return "Full";
                             case FaultyFileSystem::Fault::kSyncFails: return "NoSync";
                             case FaultyFileSystem::Fault::kLogSyncFails: return "NoSyncOfTheLog";
                             case FaultyFileSystem::Fault::kNone: break;
                           }
                           return "None";
                         });

}  // namespace
}  // namespace keelson::storage
