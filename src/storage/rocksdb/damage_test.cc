// What a store does about files that are not as it left them. tests/robustness/damage_test.cc tries every
// place of every file.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/sync_wait.h"
#include "base/testing/copy_directory.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/backup.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/inspection.h"
#include "storage/rocksdb/revision_by_clock.h"
#include "storage/rocksdb/rocksdb_backend.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DamageTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Backend>> TryOpen(RocksDbOptions options = {}) {
    backend_.reset();
    options.path = path_;
    options.clock = &clock_;
    options.recovery_interval = std::chrono::milliseconds(1);
    return OpenRocksDbBackend(options);
  }
  void Open(RocksDbOptions options = {}) {
    auto opened = TryOpen(std::move(options));
    ASSERT_TRUE(opened) << opened.error().detail;
    backend_ = std::move(*opened);
  }
  // Goes on with the files as they are now, as after a kill.
  void Kill() {
    const std::string copy = path_ + "+";
    base::testing::CopyAtOneMoment(path_, copy);
    backend_.reset();
    path_ = copy;
  }
  std::vector<fs::path> Files(std::string_view ending) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
  static void FlipByte(const fs::path& file, size_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(stream.get() ^ 0x55);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(byte);
  }
  // Refused, with the file, the revisions and both ways out.
  void ExpectRefusedFor(const fs::path& file) {
    auto opened = TryOpen();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kCorrupt);
    EXPECT_THAT(opened.error().detail, AllOf(HasSubstr(file.string()), HasSubstr("keelson restore"),
                                             HasSubstr("--accept-data-loss=")));
    auto checked = InspectStore(path_);
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().detail, HasSubstr(file.string()));
  }
  bool WaitFor(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  base::testing::TempDir dir_;
  std::string path_ = (dir_.path() / "db").string();
  base::FakeClock clock_;
  std::unique_ptr<Backend> backend_;
};

// ---- Logs

TEST_F(DamageTest, AFlippedByteInALogIsRefusedByName) {
  Open();
  for (int i = 0; i < 300; ++i) Put(*backend_, "k" + std::to_string(i), "1");
  Kill();
  const fs::path log = Files(".log").back();
  FlipByte(log, fs::file_size(log) / 2);
  ExpectRefusedFor(log);
}

TEST_F(DamageTest, ALogCutInHalfIsRefusedByName) {
  Open();
  for (int i = 0; i < 300; ++i) Put(*backend_, "k" + std::to_string(i), "1");
  Kill();
  const fs::path log = Files(".log").back();
  fs::resize_file(log, fs::file_size(log) / 2);
  ExpectRefusedFor(log);
}

TEST_F(DamageTest, ALogThatLostItsLastWriteIsRefusedByName) {
  Open();
  Put(*backend_, "a", "1");
  Put(*backend_, "b", "1");
  Kill();
  const fs::path log = Files(".log").back();
  fs::resize_file(log, fs::file_size(log) - 1);
  ExpectRefusedFor(log);
  EXPECT_THAT(TryOpen().error().detail, HasSubstr("revisions 3 to 3 were acknowledged"));
}

TEST_F(DamageTest, AMissingLogIsRefusedByNameTheNewestAndAnOlderOne) {
  Open();
  Put(*backend_, "a", "1");
  Open();
  Put(*backend_, "b", "1");
  Open();
  Put(*backend_, "c", "1");
  Kill();
  const auto logs = Files(".log");
  ASSERT_EQ(logs.size(), 3u);
  for (size_t i : {1u, 2u}) {
    fs::rename(logs[i], dir_.path() / "log");
    ExpectRefusedFor(logs[i]);
    fs::rename(dir_.path() / "log", logs[i]);
  }
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "b=1", "c=1"));
}

TEST_F(DamageTest, ATornTailThatNobodyWasToldOfIsCut) {
  Open();
  Put(*backend_, "a", "1");
  Kill();
  std::ofstream(Files(".log").back(), std::ios::app | std::ios::binary) << std::string(100, 'x');
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1"));
  EXPECT_EQ(Put(*backend_, "b", "1"), 3);
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "b=1"));
}

TEST_F(DamageTest, ALossThatIsAcceptedLeavesTheRestAndRevisionsNeverGoBack) {
  Open();
  for (int i = 0; i < 10; ++i) Put(*backend_, "a" + std::to_string(i), "1");
  Open();
  for (int i = 0; i < 10; ++i) Put(*backend_, "b" + std::to_string(i), "1");
  const Revision told = backend_->CurrentRevision();
  Kill();
  const auto logs = Files(".log");
  ASSERT_EQ(logs.size(), 2u);
  fs::resize_file(logs[0], fs::file_size(logs[0]) - 1);
  // What was said, and no other loss.
  EXPECT_FALSE(TryOpen({.accept_data_loss = 9}));
  EXPECT_FALSE(TryOpen({.accept_data_loss = 11}));
  ExpectRefusedFor(logs[0]);
  EXPECT_THAT(TryOpen().error().detail, HasSubstr("--accept-data-loss=10"));

  Open({.accept_data_loss = 10});
  EXPECT_EQ(MustRange(*backend_, "a").count, 9);
  EXPECT_EQ(MustRange(*backend_, "b").count, 0);
  EXPECT_GT(backend_->CurrentRevision(), told);
  EXPECT_EQ(backend_->CompactedRevision(), backend_->CurrentRevision());
  const Revision next = Put(*backend_, "m", "1");
  EXPECT_GT(next, told);
  EXPECT_TRUE(fs::exists(path_ + "/lost/" + logs[1].filename().string()));
  backend_.reset();
  EXPECT_TRUE(InspectStore(path_));
  Open();
  EXPECT_EQ(backend_->CurrentRevision(), next);
}

// A loss of power takes back what the ledger was told last.
TEST_F(DamageTest, ALedgerThatIsBehindRefusesNothing) {
  Open();
  Put(*backend_, "a", "1");
  fs::copy_file(path_ + "/ledger", dir_.path() / "ledger");
  Put(*backend_, "b", "1");
  Put(*backend_, "c", "1");
  Kill();
  fs::copy_file(dir_.path() / "ledger", path_ + "/ledger", fs::copy_options::overwrite_existing);
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "b=1", "c=1"));
  EXPECT_EQ(Put(*backend_, "d", "1"), 5);
  Kill();
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "b=1", "c=1", "d=1"));
}

// ---- Other files

TEST_F(DamageTest, AMissingOrDamagedLedgerIsRefusedByName) {
  Open();
  Put(*backend_, "a", "1");
  Kill();
  const fs::path ledger = path_ + "/ledger";
  fs::copy_file(ledger, dir_.path() / "ledger");
  fs::remove(ledger);
  ExpectRefusedFor(ledger);
  fs::copy_file(dir_.path() / "ledger", ledger);
  // One slot is enough.
  FlipByte(ledger, 20);
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1"));
  Kill();
  fs::resize_file(path_ + "/ledger", 10);
  ExpectRefusedFor(path_ + "/ledger");
  Open({.accept_data_loss = 2});
  EXPECT_THAT(Dump(*backend_, "a"), ElementsAre("a=1"));
}

// Nobody but the clients knows what was acknowledged since.
TEST_F(DamageTest, AnAcceptedLossWithoutALedgerJumpsBeyondMillionsOfRevisions) {
  Open();
  Put(*backend_, "a", "1");
  const std::string earlier = path_ + "-earlier";
  base::testing::CopyAtOneMoment(path_, earlier);
  clock_.Advance(std::chrono::hours(1));
  ASSERT_TRUE(base::SyncWait(backend_->Jump(30'000'000)));
  const Revision told = Put(*backend_, "b", "1");
  backend_.reset();
  path_ = earlier;
  fs::resize_file(path_ + "/ledger", 10);
  Open({.accept_data_loss = 2});
  EXPECT_THAT(Dump(*backend_, "a"), ElementsAre("a=1"));
  EXPECT_GT(backend_->CurrentRevision(), told);
  EXPECT_EQ(backend_->CurrentRevision(), RevisionByClock(2, clock_.Now()));
  RecordingObserver observer;
  EXPECT_EQ(backend_->Subscribe("", told, observer).error().code, Code::kExpired);
}

TEST_F(DamageTest, AStoreWithoutItsCurrentFileIsNotTakenForAnEmptyOne) {
  Open();
  Put(*backend_, "a", "1");
  Kill();
  fs::remove(path_ + "/CURRENT");
  auto opened = TryOpen();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().detail, HasSubstr("CURRENT is missing"));
  EXPECT_FALSE(Files(".log").empty());
}

// ---- Tables: RocksDB would take what it reads for a block, and end the process

class DamagedTableTest : public DamageTest {
 protected:
  DamagedTableTest() {
    Open();
    const std::string value(1 << 20, 'x');
    // The last may still be written, and then no part of the store.
    for (int i = 0; Files(".sst").size() < 2; ++i) Put(*backend_, "k" + std::to_string(i), value);
    Kill();
    table_ = Files(".sst").front();
    bytes_ = *base::ReadFile(table_.string());
  }
  // Replaces the bytes of the table at `at`.
  void ExpectRefusedWith(size_t at, const std::string& bytes) {
    std::string damaged = bytes_;
    damaged.replace(at, bytes.size(), bytes);
    std::ofstream(table_, std::ios::binary) << damaged;
    auto opened = TryOpen();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kCorrupt);
    EXPECT_THAT(opened.error().detail, AllOf(HasSubstr(table_.string()), HasSubstr("keelson restore")));
  }

  fs::path table_;
  std::string bytes_;
};

TEST_F(DamagedTableTest, AFooterThatIsZeroedButForItsEndIsRefusedByName) {
  ExpectRefusedWith(bytes_.size() - 53, std::string(41, '\0'));
}

// The last byte of the block says whether an index of hashes is before it. Offset and size of the block stand
// behind its name.
TEST_F(DamagedTableTest, PropertiesThatClaimAnIndexAreRefusedByName) {
  const std::string name = "rocksdb.properties";
  size_t at = bytes_.rfind(name);
  ASSERT_NE(at, std::string::npos);
  at += name.size();
  const auto take_varint = [&] {
    size_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at++]);
      value |= static_cast<size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const size_t offset = take_varint(), size = take_varint();
  ExpectRefusedWith(offset + size - 1, "\x80");
}

TEST_F(DamageTest, AStoreOfTheFormatBeforeGetsALedger) {
  Open();
  Put(*backend_, "a", "1");
  backend_.reset();
  {
    auto database = Database::Open(path_, std::make_shared<BackgroundTrouble>());
    ASSERT_TRUE(database);
    ::rocksdb::WriteOptions synced;
    synced.sync = true;
    ASSERT_TRUE(
        (*database)
            ->db()
            .Put(synced, (*database)->index(), ::rocksdb::Slice(format::kFormatKey), format::EncodeNumber(1))
            .ok());
  }
  fs::remove(path_ + "/ledger");
  Open();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1"));
  Kill();
  fs::remove(path_ + "/ledger");
  ExpectRefusedFor(path_ + "/ledger");
}

// ---- History that is damaged

class DamagedHistoryTest : public DamageTest {
 protected:
  // One key with so many versions that tables are full of them.
  void FillWithHistory(size_t bytes) {
    std::string value(16 << 10, '\0');
    for (size_t done = 0; done < bytes; done += value.size()) {
      for (char& c : value)
        c = static_cast<char>(random_ = random_ * 6364136223846793005u + 1442695040888963407u, random_ >> 56);
      Put(*backend_, "busy", value);
    }
  }
  static fs::path Largest(const std::vector<fs::path>& files) {
    return *std::ranges::max_element(files, {}, [](const fs::path& file) { return fs::file_size(file); });
  }
  void SetUp() override {
    Open();
    Put(*backend_, "calm", "1");
    FillWithHistory(9 << 20);
    Open();  // what is flushed is now known to be
    ASSERT_FALSE(Files(".sst").empty());
    Kill();
    damaged_ = Largest(Files(".sst"));
    FlipByte(damaged_, fs::file_size(damaged_) / 2);
    Open();
  }

  uint64_t random_ = 1;
  fs::path damaged_;
};

TEST_F(DamagedHistoryTest, WritesGoOnThroughSweepsAndMerges) {
  ASSERT_TRUE(base::SyncWait(backend_->Compact(backend_->CurrentRevision())));
  // Enough that tables are merged, the damaged one among them.
  for (int round = 0; round < 6; ++round) {
    FillWithHistory(9 << 20);
    ASSERT_TRUE(base::SyncWait(backend_->Compact(backend_->CurrentRevision())));
    ASSERT_TRUE(backend_->Health()) << backend_->Health().error().detail;
  }
  EXPECT_THAT(Dump(*backend_, "calm"), ElementsAre("calm=1"));
  Open();
  Put(*backend_, "calm", "2");
  EXPECT_TRUE(backend_->Health());
}

TEST_F(DamagedHistoryTest, ABackupHoldsTheLiveStateAndSaysWhatIsDamaged) {
  backend_.reset();
  const fs::path file = dir_.path() / "backup";
  auto saved = BackUp(path_, file);
  ASSERT_TRUE(saved) << saved.error().detail;
  EXPECT_EQ(saved->keys, 2);
  EXPECT_THAT(saved->damage, HasSubstr(damaged_.filename().string()));
  auto checked = InspectStore(path_);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().detail, HasSubstr(damaged_.filename().string()));

  path_ += "-restored";
  ASSERT_TRUE(Restore(file, path_));
  Open();
  EXPECT_THAT(Dump(*backend_, "calm"), ElementsAre("calm=1"));
  EXPECT_EQ(MustRange(*backend_, "").count, 3);  // with the mark of the restore
}

}  // namespace
}  // namespace keelson::storage
