#include "storage/rocksdb/backup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <rocksdb/db.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/rocksdb_backend.h"
#include "storage/testing/backend_contract.h"

namespace {
// Told of every path that is synced by fsync.
std::function<void(const std::string& path)> on_sync;
}  // namespace

// Takes the place of the C library's.
extern "C" int fsync(int fd) {
  std::error_code error;
  if (on_sync) on_sync(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace keelson::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BackupTest : public testing::Test {
 protected:
  std::string Path(const char* name) const { return (dir_.path() / name).string(); }
  std::unique_ptr<Backend> Open(const char* name) {
    auto opened = OpenRocksDbBackend({.path = Path(name)});
    EXPECT_TRUE(opened) << opened.error().detail;
    return std::move(*opened);
  }

  base::testing::TempDir dir_;
  base::FakeClock clock_;  // 1,700,000,000 s after 1970
};

StoreSummary Must(const Result<StoreSummary>& summary) {
  EXPECT_TRUE(summary) << summary.error().detail << " " << summary.error().key;
  return summary ? *summary : StoreSummary{};
}

TEST_F(BackupTest, ARestoredStoreHasTheSameObjectsAndANewFuture) {
  Revision last = 0;
  {
    auto backend = Open("db");
    for (int i = 0; i < 100; ++i) Put(*backend, "o" + std::to_string(i % 30), std::to_string(i));
    last = Delete(*backend, "o29");
  }
  const StoreSummary backup = Must(BackUp(Path("db"), Path("file")));
  EXPECT_EQ(backup.keys, 29);
  EXPECT_EQ(backup.revision, last);
  EXPECT_EQ(Must(CheckBackup(Path("file"))).versions, 101);
  const StoreSummary restored = Must(Restore(Path("file"), Path("new"), {.clock = &clock_}));
  EXPECT_EQ(restored.revision, 1'700'000'000'000'000);

  auto was = Open("db");
  auto now = Open("new");
  EXPECT_EQ(Dump(*now, "o"), Dump(*was, "o"));
  const auto before = MustRange(*was, "o").items;
  const auto after = MustRange(*now, "o").items;
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].mod_revision, after[i].mod_revision);
    EXPECT_EQ(before[i].create_revision, after[i].create_revision);
  }
  // Who was ahead of the backup cannot go on as if nothing had happened.
  RecordingObserver observer;
  EXPECT_EQ(now->Subscribe("o", last + 5, observer).error().code, Code::kExpired);
  EXPECT_EQ(Put(*now, "o1", "x"), restored.revision + 1);
}

TEST_F(BackupTest, WithoutAJumpItGoesOnWhereTheBackupWas) {
  {
    auto backend = Open("db");
    Put(*backend, "a", "1");
    Put(*backend, "a", "2");
  }
  Must(BackUp(Path("db"), Path("file")));
  EXPECT_EQ(Must(Restore(Path("file"), Path("new"), {.bump = 0})).revision, 3);
  auto now = Open("new");
  EXPECT_THAT(Dump(*now, "a", 2), ElementsAre("a=1"));
  EXPECT_EQ(Put(*now, "a", "3"), 4);
}

// A day of 10,000 writes a second after the backup, which nobody has but the clients.
TEST_F(BackupTest, TheJumpIsBeyondWhatWasWrittenSinceTheBackup) {
  Put(*Open("db"), "a", "1");
  Must(BackUp(Path("db"), Path("file")));
  const Revision first = Must(Restore(Path("file"), Path("second"), {.clock = &clock_})).revision;
  Must(BackUp(Path("second"), Path("file2")));
  clock_.Advance(std::chrono::hours(24));
  const Revision seen = first + 24 * 3600 * Revision{10'000};
  const StoreSummary again = Must(Restore(Path("file2"), Path("third"), {.clock = &clock_}));
  EXPECT_GT(again.revision, seen);
  EXPECT_EQ(again.compacted, again.revision);
  EXPECT_LT(again.revision, Revision{1} << 53);
  RecordingObserver observer;
  EXPECT_EQ(Open("third")->Subscribe("", seen, observer).error().code, Code::kExpired);
}

TEST_F(BackupTest, AClockThatIsWrongNeitherTurnsRevisionsBackNorWastesThem) {
  Put(*Open("db"), "a", "1");
  Must(BackUp(Path("db"), Path("file")));
  base::FakeClock early(base::Clock::WallTime(std::chrono::seconds(0)));
  EXPECT_EQ(Must(Restore(Path("file"), Path("early"), {.clock = &early})).revision, 1'000'000'002);
  base::FakeClock late(base::Clock::WallTime(std::chrono::hours(24 * 365 * 200)));
  EXPECT_EQ(Must(Restore(Path("file"), Path("late"), {.clock = &late})).revision, Revision{1} << 52);
}

TEST_F(BackupTest, TheNamesOfABackupAndOfARestoredStoreAreSynced) {
  Put(*Open("db"), "a", "1");
  std::vector<std::string> lasting;  // that were in the folder when it was synced
  on_sync = [&](const std::string& path) {
    if (path != dir_.path()) return;
    for (const char* name : {"file", "new"})
      if (std::filesystem::exists(Path(name))) lasting.push_back(name);
  };
  Must(BackUp(Path("db"), Path("file")));
  EXPECT_THAT(lasting, ElementsAre("file"));
  lasting.clear();
  Must(Restore(Path("file"), Path("new")));
  on_sync = nullptr;
  EXPECT_THAT(lasting, testing::Contains("new"));
}

TEST_F(BackupTest, WhatACrashedBackupLeftDoesNotBlockTheNextOne) {
  Put(*Open("db"), "a", "1");
  std::ofstream(Path("file.unfinished"), std::ios::binary) << std::string(100'000, '?');
  EXPECT_EQ(Must(BackUp(Path("db"), Path("file"))).keys, 1);
  EXPECT_EQ(Must(CheckBackup(Path("file"))).keys, 1);
  EXPECT_FALSE(std::filesystem::exists(Path("file.unfinished")));
}

TEST_F(BackupTest, ABackupThatIsBeingWrittenIsLeftAlone) {
  Put(*Open("db"), "a", "1");
  const int other = ::open(Path("file.unfinished").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_EQ(BackUp(Path("db"), Path("file")).error().code, Code::kExists);
  EXPECT_TRUE(std::filesystem::exists(Path("file.unfinished")));
  ::close(other);
  Must(BackUp(Path("db"), Path("file")));
}

TEST_F(BackupTest, ARestoredStoreCanBeBackedUpAndRestoredAgain) {
  Put(*Open("db"), "a", "1");
  Must(BackUp(Path("db"), Path("file")));
  Must(Restore(Path("file"), Path("second"), {.bump = 1'000'000}));
  Must(BackUp(Path("second"), Path("file2")));
  const StoreSummary third = Must(Restore(Path("file2"), Path("third"), {.bump = 1'000'000}));
  EXPECT_EQ(third.revision, 2'000'002);
  EXPECT_THAT(Dump(*Open("third"), "a"), ElementsAre("a=1"));
  Must(InspectStore(Path("third")));
}

TEST_F(BackupTest, LeasesComeAlong) {
  {
    auto backend = Open("db");
    auto lease = base::SyncWait(backend->GrantLease(std::chrono::seconds(3600)));
    ASSERT_TRUE(lease);
    Put(*backend, "a", "1", *lease);
  }
  EXPECT_EQ(Must(BackUp(Path("db"), Path("file"))).leases, 1);
  Must(Restore(Path("file"), Path("new")));
  EXPECT_NE((*Open("new")->Get("a", 0))->lease, 0);
}

// Every backup of a store that is written to, compacted and flushed meanwhile is one state of it.
TEST_F(BackupTest, AStoreInUseIsBackedUpAsOfOneMoment) {
  auto backend = Open("db");
  std::atomic<bool> stop{false};
  std::atomic<Revision> written{0};
  std::thread writer([&] {
    const std::string padding(20000, 'x');
    for (int i = 0; !stop; ++i) {
      Txn txn = PutTxn("a" + std::to_string(i % 50), std::to_string(i) + padding);
      txn.writes.push_back(
          {.key = "b" + std::to_string(i % 50), .value = base::Slice::Copy(std::to_string(i))});
      written = MustCommit(*backend, std::move(txn)).revision;
      if (i % 500 == 499) {
        EXPECT_TRUE(base::SyncWait(backend->Compact(written - 100)).has_value());
      }
    }
  });
  for (int i = 0; i < 8; ++i) {
    const Revision before = written;
    const std::string file = Path("file") + std::to_string(i);
    const StoreSummary backup = Must(BackUp(Path("db"), file));
    EXPECT_GE(backup.revision, before);
    const std::string store = Path("new") + std::to_string(i);
    Must(Restore(file, store));
    auto restored = std::move(*OpenRocksDbBackend({.path = store}));
    // The two keys of a transaction are always of the same one.
    for (const KeyValue& kv : MustRange(*restored, "a").items) {
      const std::string number(kv.value.view().substr(0, kv.value.view().find('x')));
      EXPECT_EQ((*restored->Get("b" + kv.key.substr(1), 0))->value.view(), number);
    }
  }
  stop = true;
  writer.join();
}

TEST_F(BackupTest, ADamagedOrShortenedBackupIsRefusedAndNothingIsMadeOfIt) {
  {
    auto backend = Open("db");
    for (int i = 0; i < 50; ++i) Put(*backend, "k" + std::to_string(i), std::string(100, 'v'));
  }
  Must(BackUp(Path("db"), Path("file")));
  std::ifstream in(Path("file"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(Path("bad"), std::ios::binary) << bytes;
    const bool is = !Restore(Path("bad"), Path("new"));
    EXPECT_FALSE(std::filesystem::exists(Path("new")));
    return is;
  };
  for (size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_TRUE(refused(bad)) << at;
    EXPECT_TRUE(refused(good.substr(0, at))) << at;
  }
  EXPECT_TRUE(refused(good + "x"));
}

TEST_F(BackupTest, NothingIsOverwritten) {
  Put(*Open("db"), "a", "1");
  Must(BackUp(Path("db"), Path("file")));
  EXPECT_EQ(BackUp(Path("db"), Path("file")).error().code, Code::kExists);
  EXPECT_EQ(Restore(Path("file"), Path("db")).error().code, Code::kExists);
  EXPECT_EQ(BackUp(Path("none"), Path("other")).error().code, Code::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(Path("other.unfinished")));
}

TEST_F(BackupTest, InspectionTellsWhatIsMissing) {
  const auto spoil = [&](const std::function<void(Database&)>& how) {
    std::filesystem::remove_all(Path("db"));
    {
      auto backend = Open("db");
      for (const char* value : {"1", "2", "3"}) Put(*backend, "a", value);
      Put(*backend, "b", "1");
    }
    Must(InspectStore(Path("db")));
    {
      auto database = std::move(*Database::Open(Path("db"), std::make_shared<BackgroundTrouble>()));
      how(*database);
    }
    auto inspected = InspectStore(Path("db"));
    EXPECT_FALSE(inspected);
    return inspected ? "" : inspected.error().detail;
  };
  EXPECT_THAT(spoil([](Database& d) { d.db().Delete({}, d.log(), format::LogKey(4, "a")); }),
              HasSubstr("no event between revisions 3 and 5"));
  EXPECT_THAT(spoil([](Database& d) { d.db().Delete({}, d.log(), format::LogKey(5, "b")); }),
              HasSubstr("newest version is missing"));
  EXPECT_THAT(spoil([](Database& d) { d.db().Delete({}, d.index(), format::HeadKey("b")); }),
              HasSubstr("a version newer than its key"));
  EXPECT_THAT(spoil([](Database& d) { d.db().Put({}, d.index(), format::HeadKey("b"), "?"); }),
              HasSubstr("damaged head"));
}

}  // namespace
}  // namespace keelson::storage
