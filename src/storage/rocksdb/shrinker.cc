#include "storage/rocksdb/shrinker.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/log.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/room.h"

namespace keelson::storage {
namespace {

using std::chrono::steady_clock;

constexpr auto kSlice = std::chrono::milliseconds(100);
constexpr size_t kMostRevisions = 1 << 16;  // beyond, any table may have one
constexpr size_t kManyNewest = 12;

struct Place {
  int level;
  ::rocksdb::SstFileMetaData table;
};

std::map<uint64_t, Place> TablesOf(Database& database, ::rocksdb::ColumnFamilyHandle* family) {
  ::rocksdb::ColumnFamilyMetaData files;
  database.db().GetColumnFamilyMetaData(family, &files);
  std::map<uint64_t, Place> tables;
  for (const auto& level : files.levels)
    for (const auto& table : level.files) tables.emplace(table.file_number, Place{level.level, table});
  return tables;
}

bool OldViewIsOpen(Database& database) {
  uint64_t oldest = 0;
  database.db().GetIntProperty(::rocksdb::DB::Properties::kOldestSnapshotSequence, &oldest);
  return oldest != 0 && oldest < database.db().GetLatestSequenceNumber();
}

}  // namespace

void Shrinker::OnDeleted(Revision revision) {
  if (everything_) return;
  deleted_.push_back(revision);
  if (deleted_.size() < kMostRevisions) return;
  everything_ = true;
  deleted_.clear();
}

bool Shrinker::HasDeleted(const ::rocksdb::SstFileMetaData& table) const {
  if (everything_) return true;
  const auto first = format::DecodeLogKey(table.smallestkey), last = format::DecodeLogKey(table.largestkey);
  if (!first || !last) return true;
  const auto found = std::ranges::lower_bound(deleted_, first->revision);
  return found != deleted_.end() && *found <= last->revision;
}

// The last level first: it holds the oldest data, most of which is deleted.
void Shrinker::BeginPass(Database& database) {
  std::ranges::sort(deleted_);
  std::vector<std::pair<int, uint64_t>> order;
  for (const auto& [number, place] : TablesOf(database, database.log()))
    if (HasDeleted(place.table)) order.emplace_back(place.level, number);
  std::ranges::sort(order);
  left_ = std::exchange(too_large_, {});
  for (const auto& [level, number] : order) left_.push_back(number);
  everything_ = rewrote_ = false;
  deleted_.clear();
}

Result<bool> Shrinker::Slice(Database& database, const Ballast& disk, const std::function<bool()>& enough) {
  const auto end = steady_clock::now() + kSlice;
  if (OldViewIsOpen(database)) return false;
  if (left_.empty() && too_large_.empty() && deleted_.empty() && !everything_) return false;
  if (left_.empty()) BeginPass(database);
  const auto tables = TablesOf(database, database.log());
  while (!left_.empty() && !enough()) {
    if (steady_clock::now() >= end) return true;
    const uint64_t number = left_.back();
    left_.pop_back();
    const auto found = tables.find(number);
    if (found == tables.end()) continue;
    if (disk.free_bytes() < found->second.table.size + room::kToRewrite) {
      too_large_.push_back(number);
      continue;
    }
    auto rewritten = database.Rewrite(found->second.table.name, found->second.level);
    if (!rewritten && rewritten.error().code != Code::kCorrupt)
      return base::Err(std::move(rewritten.error()));
    if (!rewritten)
      base::Log(base::LogLevel::kError, "damage: a table is left as it is",
                {{"error", rewritten.error().detail}});
    rewrote_ = true;
  }
  if (left_.empty() && std::exchange(rewrote_, false)) left_ = std::exchange(too_large_, {});
  if (!left_.empty()) return true;
  TRY(MergeNewest(database, disk));
  return false;
}

// Every recovery leaves a table there, and a read asks all of them.
Result<void> Shrinker::MergeNewest(Database& database, const Ballast& disk) {
  for (auto* family : {database.log(), database.index()}) {
    std::vector<std::string> newest;
    uint64_t bytes = room::kToRewrite;
    for (const auto& [number, place] : TablesOf(database, family)) {
      if (place.level != 0) continue;
      newest.push_back(place.table.name);
      bytes += place.table.size;
    }
    if (newest.size() < kManyNewest || disk.free_bytes() < 2 * bytes) continue;
    TRY(database.Merge(family, newest, 0));
  }
  return {};
}

}  // namespace keelson::storage
