#include "storage/rocksdb/shrinker.h"

#include <gmock/gmock.h>

#include <random>

#include "base/testing/temp_dir.h"
#include "storage/rocksdb/format.h"

namespace keelson::storage {
namespace {

constexpr Revision kRecords = 200;
constexpr Revision kPerTable = 20;

class ShrinkerTest : public testing::Test {
 protected:
  ShrinkerTest() {
    auto opened = Database::Open(path_, std::make_shared<BackgroundTrouble>(), {.merging = false});
    EXPECT_TRUE(opened) << opened.error().detail;
    database_ = std::move(*opened);
    // Ten tables of the last level, one after the other.
    for (Revision revision = 1; revision <= kRecords; ++revision) {
      Put(revision);
      if (revision % kPerTable != 0) continue;
      EXPECT_TRUE(database_->Flush());
    }
    ::rocksdb::CompactRangeOptions down;
    down.change_level = true;
    down.target_level = 6;
    EXPECT_TRUE(database_->db().CompactRange(down, database_->log(), nullptr, nullptr).ok());
  }

  static std::string KeyOf(Revision revision) { return format::LogKey(revision, "k"); }
  // Incompressible, and another for every revision.
  static std::string ValueOf(Revision revision) {
    std::string value(50'000, '\0');
    std::mt19937_64 random(static_cast<uint64_t>(revision));
    for (char& c : value) c = static_cast<char>(random());
    return value;
  }
  void Put(Revision revision) {
    EXPECT_TRUE(database_->db().Put({}, database_->log(), KeyOf(revision), ValueOf(revision)).ok());
  }
  void Delete(Revision revision) {
    EXPECT_TRUE(database_->db().Delete({}, database_->log(), KeyOf(revision)).ok());
    shrinker_.OnDeleted(revision);
  }
  void Pass() {
    for (;;) {
      auto more = shrinker_.Slice(*database_, disk_, [] { return false; });
      ASSERT_TRUE(more) << more.error().detail;
      if (!*more) return;
    }
  }
  bool Holds(Revision revision) {
    std::string value;
    return database_->db().Get({}, database_->log(), KeyOf(revision), &value).ok() &&
           value == ValueOf(revision);
  }
  std::map<std::string, uint64_t> Tables() {
    std::vector<::rocksdb::LiveFileMetaData> files;
    database_->db().GetLiveFilesMetaData(&files);
    std::map<std::string, uint64_t> tables;
    for (const auto& file : files)
      if (file.column_family_name == format::kLogFamily) tables[file.name] = file.size;
    return tables;
  }
  uint64_t Bytes() {
    uint64_t bytes = 0;
    for (const auto& [name, size] : Tables()) bytes += size;
    return bytes;
  }

  base::testing::TempDir dir_;
  const std::string path_ = dir_.path().string() + "/db";
  const Ballast disk_{path_ + "/ballast", 0};
  std::unique_ptr<Database> database_;
  Shrinker shrinker_;
};

TEST_F(ShrinkerTest, TablesAreWrittenAnewWithoutWhatIsDeletedElsewhere) {
  const uint64_t before = Bytes();
  for (Revision revision = 1; revision <= kRecords; revision += 2) Delete(revision);
  ASSERT_TRUE(database_->Flush());
  Pass();
  EXPECT_LT(Bytes(), before * 6 / 10);
  for (Revision revision = 1; revision <= kRecords; ++revision)
    EXPECT_EQ(Holds(revision), revision % 2 == 0) << revision;
}

TEST_F(ShrinkerTest, ADeletionThatIsOnlyInMemoryCounts) {
  const uint64_t before = Bytes();
  for (Revision revision = 1; revision <= kRecords / 2; ++revision) Delete(revision);
  Pass();
  EXPECT_LT(Bytes(), before * 6 / 10);
}

TEST_F(ShrinkerTest, TablesWithoutDeletionsAreLeftAloneFromTheSecondTimeOn) {
  Pass();
  const auto before = Tables();
  Delete(kRecords / 2);
  Pass();
  size_t same = 0;
  for (const auto& [name, size] : Tables()) same += before.contains(name);
  EXPECT_EQ(same, before.size() - 1);
}

TEST_F(ShrinkerTest, WhatAnOlderViewReadsIsKept) {
  const auto* snapshot = database_->db().GetSnapshot();
  Delete(1);
  Pass();
  ::rocksdb::ReadOptions then;
  then.snapshot = snapshot;
  std::string value;
  EXPECT_TRUE(database_->db().Get(then, database_->log(), KeyOf(1), &value).ok());
  database_->db().ReleaseSnapshot(snapshot);
  const uint64_t before = Bytes();
  Pass();
  EXPECT_LT(Bytes(), before);
}

TEST_F(ShrinkerTest, ItEndsWhenThereIsEnough) {
  const auto before = Tables();
  for (Revision revision = 1; revision <= kRecords; ++revision) Delete(revision);
  int asked = 0;
  while (*shrinker_.Slice(*database_, disk_, [&] { return ++asked > 2; })) {
    if (asked > 2) break;
  }
  size_t same = 0;
  for (const auto& [name, size] : Tables()) same += before.contains(name);
  EXPECT_EQ(same, before.size() - 2);
}

TEST_F(ShrinkerTest, ManySmallTablesOfTheNewestLevelBecomeOne) {
  for (Revision revision = 1; revision <= 40; ++revision) {
    Delete(revision);
    ASSERT_TRUE(database_->Flush());
  }
  const size_t before = Tables().size();
  Pass();
  EXPECT_LT(Tables().size(), before - 30);
  for (Revision revision = 1; revision <= kRecords; ++revision)
    EXPECT_EQ(Holds(revision), revision > 40) << revision;
}

}  // namespace
}  // namespace keelson::storage
