#include "storage/rocksdb/rocksdb_engine.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/log.h"
#include "storage/rocksdb/format.h"
#include "storage/rocksdb/revision_by_clock.h"
#include "storage/rocksdb/rocksdb_view.h"
#include "storage/rocksdb/room.h"

namespace keelson::storage {
namespace {

using ::rocksdb::Slice;
using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr size_t kEventsPerSweep = 256;
constexpr size_t kKeptBatchBytes = 1 << 20;
// Who writes no more than this between two rests is quiet: leases are renewed all the time.
constexpr size_t kLittleBytes = 256 << 10;
constexpr size_t kProbeBytes = 64 << 10;
// The key that is written where revisions go on after a loss; not below the prefix of any object.
constexpr std::string_view kPassedOverKey = "keelson/lost";

format::Version ToVersion(const Mutation& mutation) {
  return {.deleted = mutation.change.type == Write::Type::kDelete,
          .create_revision = mutation.change.create_revision,
          .previous_revision = mutation.previous_revision,
          .lease = mutation.change.lease};
}

Head HeadOf(Revision revision, const format::Version& version) {
  return {.create_revision = version.create_revision,
          .mod_revision = revision,
          .lease = version.lease,
          .deleted = version.deleted};
}

uint64_t ToMillis(system_clock::time_point time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count());
}

::rocksdb::ReadOptions OnceThrough() {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  return options;
}

}  // namespace

RocksDbEngine::RocksDbEngine(std::string path, const Options& options)
    : path_(std::move(path)),
      env_(options.env ? options.env : ::rocksdb::Env::Default()),
      accept_data_loss_(options.accept_data_loss),
      clock_(*options.clock),
      trouble_(std::make_shared<BackgroundTrouble>()),
      ballast_(path_ + "/ballast", options.ballast_bytes),
      opening_room_(path_ + "/ballast-to-open", std::min(options.ballast_bytes, room::kToOpen),
                    room::kLeastToOpen) {}

Result<std::unique_ptr<RocksDbEngine>> RocksDbEngine::Open(std::string path, const Options& options) {
  std::unique_ptr<RocksDbEngine> engine(new RocksDbEngine(std::move(path), options));
  engine->space_is_short_ = engine->ballast_.missing();
  TRY(engine->OpenSomehow());
  // A disk that never had room for ballast is used as it is.
  if (!engine->space_is_short_) engine->ballast_.TakeOn();
  engine->opening_room_.TakeOn();
  return engine;
}

// Opening writes a little.
Result<void> RocksDbEngine::OpenSomehow() {
  auto opened = OpenDatabase();
  if (!opened && ThrowOffBallast()) opened = OpenDatabase();
  if (!opened && ballast_.DiskIsFull() && opening_room_.ThrowOff()) opened = OpenDatabase();
  return opened;
}

// Where room is short, what merges files by itself would use it up before there is anything to drop from
// them.
Result<void> RocksDbEngine::OpenDatabase() {
  database_ = TRY(Database::Open(path_, trouble_,
                                 {.env = env_,
                                  .merging = !space_is_short_,
                                  .room_bytes = ballast_.bytes(),
                                  .accept_data_loss = accept_data_loss_}));
  return {};
}

Result<Engine::State> RocksDbEngine::Load() {
  auto compacted = TRY(ReadRevision(format::kCompactedKey));
  auto swept = TRY(ReadRevision(format::kSweptKey));
  compacted_ = compacted;
  swept_ = swept;

  // The event at the newest revision is never compacted, so the log tells the revision.
  auto current = database_->NewestRevision();
  if (!current) return base::Err(std::move(current.error()));
  if (*current < database_->acknowledged()) {
    TRY(PassOver(*current));
    current = compacted_.load();
  }
  State state{.current = *current, .compacted = compacted_};

  std::unique_ptr<::rocksdb::Iterator> it(database_->db().NewIterator(OnceThrough(), database_->index()));
  for (it->Seek(Slice(format::kLeases)); it->Valid() && Bytes(it->key()).starts_with(format::kLeases);
       it->Next()) {
    auto id = format::DecodeLeaseKey(Bytes(it->key()));
    auto expiry = format::DecodeNumber(Bytes(it->value()));
    if (!id || !expiry) return base::Err(CorruptRecord("lease"));
    state.leases.push_back({*id, system_clock::time_point(milliseconds(*expiry))});
  }
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  return state;
}

Result<void> RocksDbEngine::PassOver(Revision current) {
  const Revision told = database_->acknowledged();
  if (accept_data_loss_ != current)
    return base::Err(Error{
        Code::kCorrupt, path_ + ": revisions " + std::to_string(current + 1) + " to " + std::to_string(told) +
                            " were acknowledged and are not there. The way out: restore a backup "
                            "(keelson restore), or do without them (keelson serve "
                            "--accept-data-loss=" +
                            std::to_string(current) + ")"});
  auto before = TRY(FindHead(kPassedOverKey));
  // The ledger may be lost as well: only the clock tells what may have been acknowledged.
  const Revision next = RevisionByClock(told, clock_.Now());
  Batch batch{.compacted = next};
  batch.mutations.push_back({.change = {.type = Write::Type::kPut,
                                        .key = kPassedOverKey,
                                        .create_revision = before ? before->create_revision : next,
                                        .revision = next},
                             .previous_revision = before ? before->mod_revision : 0});
  base::Log(base::LogLevel::kError, "acknowledged revisions are lost, as accepted",
            {{"path", path_}, {"first", current + 1}, {"last", told}, {"next", next}});
  return Write(batch);
}

Result<Revision> RocksDbEngine::ReadRevision(std::string_view name) {
  std::string record;
  const auto status = database_->db().Get({}, database_->index(), Slice(name), &record);
  if (status.IsNotFound()) return Revision{0};
  if (!status.ok()) return base::Err(ToError(status));
  auto number = format::DecodeNumber(record);
  if (!number) return base::Err(CorruptRecord(name));
  return static_cast<Revision>(*number);
}

Result<std::optional<Head>> RocksDbEngine::FindHead(std::string_view key) {
  ::rocksdb::PinnableSlice record;
  const auto status = database_->db().Get({}, database_->index(), format::HeadKey(key), &record);
  if (status.IsNotFound()) return std::optional<Head>();
  if (!status.ok()) return base::Err(ToError(status));
  auto head = format::DecodeHead(Bytes(record));
  if (!head) return base::Err(CorruptRecord("head"));
  return head;
}

Result<std::vector<std::string>> RocksDbEngine::KeysOf(LeaseId lease, size_t limit) {
  std::vector<std::string> keys;
  const std::string prefix = format::AttachedPrefix(lease);
  std::unique_ptr<::rocksdb::Iterator> it(database_->db().NewIterator(OnceThrough(), database_->index()));
  for (it->Seek(prefix); it->Valid() && keys.size() < limit; it->Next()) {
    if (!Bytes(it->key()).starts_with(prefix)) break;
    keys.emplace_back(Bytes(it->key()).substr(prefix.size()));
  }
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  return keys;
}

Result<void> RocksDbEngine::Write(const Batch& batch) {
  MindDamage();
  pending_.Clear();
  for (const Mutation& mutation : batch.mutations) Append(mutation);
  for (const Lease& lease : batch.granted)
    pending_.Put(database_->index(), format::LeaseKey(lease.id),
                 format::EncodeNumber(ToMillis(lease.expiry)));
  for (LeaseId id : batch.ended) pending_.Delete(database_->index(), format::LeaseKey(id));
  if (batch.compacted != 0) {
    pending_.Put(database_->index(), Slice(format::kCompactedKey),
                 format::EncodeNumber(static_cast<uint64_t>(batch.compacted)));
  }
  auto written = WritePending(/*sync=*/true);
  if (written)
    written = database_->Acknowledge(batch.mutations.empty() ? 0 : batch.mutations.back().change.revision);
  if (written && batch.compacted != 0) compacted_ = batch.compacted;
  return written;
}

void RocksDbEngine::Append(const Mutation& mutation) {
  const Change& change = mutation.change;
  const format::Version version = ToVersion(mutation);
  const std::string log_key = format::LogKey(change.revision, change.key);
  const std::string header = format::EncodeVersion(version);
  const std::array<Slice, 1> key_parts{log_key};
  const std::array<Slice, 2> parts{Slice(header), Slice(change.value.data(), change.value.size())};
  pending_.Put(database_->log(), ::rocksdb::SliceParts(key_parts.data(), key_parts.size()),
               ::rocksdb::SliceParts(parts.data(), parts.size()));
  pending_.Put(database_->index(), format::HeadKey(change.key),
               format::EncodeHead(HeadOf(change.revision, version)));
  MoveAttachment(change.key, mutation.previous_lease, change.lease);
}

void RocksDbEngine::MoveAttachment(std::string_view key, LeaseId from, LeaseId to) {
  if (from == to) return;
  if (from != 0) pending_.Delete(database_->index(), format::AttachedKey(from, key));
  if (to != 0) pending_.Put(database_->index(), format::AttachedKey(to, key), Slice());
}

Result<void> RocksDbEngine::WritePending(bool sync) {
  ::rocksdb::WriteOptions options;
  options.sync = sync;
  const auto status = database_->db().Write(options, &pending_);
  written_since_rest_ += pending_.GetDataSize();
  if (pending_.GetDataSize() > kKeptBatchBytes) {
    pending_ = ::rocksdb::WriteBatch();
  } else {
    pending_.Clear();
  }
  if (!status.ok()) return base::Err(ToError(status));
  return {};
}

void RocksDbEngine::Rest() {
  // Where room is short nothing is written that need not be.
  if (std::exchange(written_since_rest_, 0) < kLittleBytes && database_ && !space_is_short_)
    database_->Rest();
}

// ---- Compaction

Result<bool> RocksDbEngine::Sweep() {
  const Revision target = compacted_;
  if (swept_ >= target) return false;
  const Revision first = swept_;
  const std::string end = format::LogKey(target + 1, {});
  const Slice upper(end);
  ::rocksdb::ReadOptions options = OnceThrough();
  options.iterate_upper_bound = &upper;
  std::unique_ptr<::rocksdb::Iterator> it(database_->db().NewIterator(options, database_->log()));
  Revision done = target;
  size_t events = 0;
  pending_.Clear();
  Revision last = first;
  for (it->Seek(format::LogKey(first, {})); it->Valid(); it->Next()) {
    auto position = format::DecodeLogKey(Bytes(it->key()));
    if (!position) return base::Err(CorruptRecord("log key"));
    if (position->revision != last && events >= kEventsPerSweep) {
      done = last;
      break;
    }
    last = position->revision;
    if (last != first) ++events;  // the first was swept before: a slice always gets further
    auto swept = SweepEvent(Bytes(it->key()), Bytes(it->value()));
    if (!swept && swept.error().code != Code::kCorrupt) return base::Err(std::move(swept.error()));
    if (!swept)
      base::Log(base::LogLevel::kError, "damage: a key of the past is not freed",
                {{"error", swept.error().detail}});
  }
  if (it->status().IsCorruption() || it->status().IsIOError()) {
    done = PassDamage(last, target);
    base::Log(base::LogLevel::kError, "damage: a stretch of history is not freed",
              {{"error", it->status().ToString()}, {"after", last}, {"up to", done}});
  } else if (!it->status().ok()) {
    return base::Err(ToError(it->status()));
  }
  pending_.Put(database_->index(), Slice(format::kSweptKey),
               format::EncodeNumber(static_cast<uint64_t>(done)));
  // Lost in a crash it is done again; the sync of the next commit covers it.
  TRY(WritePending(/*sync=*/false));
  swept_ = done;
  return swept_ < target;
}

// What is damaged there is garbage, or a version that fails when it is asked for; either way the rest is
// swept.
Revision RocksDbEngine::PassDamage(Revision last, Revision target) {
  std::unique_ptr<::rocksdb::Iterator> it(database_->db().NewIterator(OnceThrough(), database_->log()));
  for (Revision step = 1; last + step < target; step *= 2) {
    it->Seek(format::LogKey(last + step, {}));
    if (it->status().ok()) return last + step;
  }
  return target;
}

// RocksDB cannot merge a table that is damaged, and would try for ever. Writing does not need it to.
void RocksDbEngine::MindDamage() {
  const std::string damage = trouble_->TakeDamage();
  if (damage.empty()) return;
  base::Log(
      base::LogLevel::kError,
      "a table is damaged: it is left as it is, and the store grows until it is made anew from a backup",
      {{"error", damage}});
  database_->StopMerging(damage);
}

// An event up to the compacted revision makes the version before it unreachable. A
// deletion is unreachable itself once something newer is compacted.
Result<void> RocksDbEngine::SweepEvent(std::string_view log_key, std::string_view record) {
  auto position = format::DecodeLogKey(log_key);
  auto version = format::DecodeVersion(record);
  if (!position || !version) return base::Err(CorruptRecord("log record"));
  if (version->previous_revision != 0) {
    pending_.Delete(database_->log(), format::LogKey(version->previous_revision, position->key));
    shrinker_.OnDeleted(version->previous_revision);
  }
  if (!version->deleted || position->revision >= compacted_) return {};
  pending_.Delete(database_->log(), Slice(log_key.data(), log_key.size()));
  auto head = TRY(FindHead(position->key));
  if (head && head->mod_revision == position->revision)
    pending_.Delete(database_->index(), format::HeadKey(position->key));
  return {};
}

// ---- Trouble

Result<void> RocksDbEngine::Recover(Revision last) {
  // A database that is closed for nothing cannot be read until it opens again.
  auto probe = ProbeDisk();
  if (ThrowOffBallast()) probe = ProbeDisk();
  if (!probe) return probe;
  // RocksDB that has seen a full disk keeps from merging files for as long as it thinks there is too little
  // room. It ends the process if it comes to sync a log that it could not write.
  if (database_ && !space_is_short_ && !database_->log_failed() && database_->db().Resume().ok()) {
    trouble_->Clear();
    pending_.Clear();
    pending_.Put(database_->index(), Slice(format::kSweptKey),
                 format::EncodeNumber(static_cast<uint64_t>(swept_)));
    if (database_->Flush() && WritePending(/*sync=*/true)) return RollBack(last);
  }
  TRY(Reopen());
  return RollBack(last);
}

// If it would help. The room lasts for what must be written to forget history.
bool RocksDbEngine::ThrowOffBallast() {
  if (!ballast_.DiskIsFull() || !ballast_.ThrowOff()) return false;
  space_is_short_ = true;
  base::Log(base::LogLevel::kWarning, "the disk is full: history is forgotten to make room",
            {{"path", path_}});
  return true;
}

Result<bool> RocksDbEngine::RegainSpace() {
  bool has_room = ballast_.TakeOn();  // others may have made some
  if (!has_room) {
    auto more = TRY(shrinker_.Slice(*database_, ballast_, [this] { return ballast_.TakeOn(); }));
    has_room = ballast_.TakeOn();
    if (!has_room && more) return true;
  }
  opening_room_.TakeOn();
  if (!has_room)
    return base::Err(Error{Code::kFull, "embedded store: No space left on device: " +
                                            std::to_string(2 * ballast_.bytes() >> 20) +
                                            " MB must be free in " + path_ +
                                            "; until then only deletions and what hardly grows are written"});
  space_is_short_ = false;
  base::Log(base::LogLevel::kInfo, "the disk has room again", {{"path", path_}});
  TRY(database_->MergeAgain());
  return false;
}

// Half of what the ballast had is for rewriting files.
Engine::Room RocksDbEngine::room() const {
  if (!space_is_short_) return Room::kAny;
  const uint64_t free = ballast_.free_bytes();
  if (free >= ballast_.bytes() / 2) return Room::kReplacements;
  return free >= room::kToOpen ? Room::kDeletions : Room::kNone;
}

Result<void> RocksDbEngine::ProbeDisk() {
  const std::string name = path_ + "/probe";
  std::unique_ptr<::rocksdb::WritableFile> file;
  auto status = env_->NewWritableFile(name, &file, ::rocksdb::EnvOptions());
  if (status.ok()) status = file->Append(std::string(kProbeBytes, '\0'));
  if (status.ok()) status = file->Fsync();
  if (file) {
    const auto closed = file->Close();
    if (status.ok()) status = closed;
    file.reset();
    env_->DeleteFile(name).PermitUncheckedError();
  }
  if (!status.ok()) return base::Err(ToError(status));
  return {};
}

Result<void> RocksDbEngine::Reopen() {
  std::unique_lock lock(mu_);
  pending_ = ::rocksdb::WriteBatch();
  database_.reset();
  TRY(OpenSomehow());
  trouble_->Clear();
  // What was read from a log may never have reached the disk: the replay after a loss of power would end
  // there.
  return database_->Flush();
}

// A batch whose sync failed may still be in the write-ahead log. Its writers were told
// that nothing was written, so it is taken back before the next one.
Result<void> RocksDbEngine::RollBack(Revision last) {
  std::vector<std::pair<std::string, std::string>> records;
  std::unique_ptr<::rocksdb::Iterator> it(database_->db().NewIterator(OnceThrough(), database_->log()));
  for (it->Seek(format::LogKey(last + 1, {})); it->Valid(); it->Next())
    records.emplace_back(it->key().ToString(), it->value().ToString());
  if (!it->status().ok()) return base::Err(ToError(it->status()));
  if (records.empty()) return {};

  pending_.Clear();
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    std::string_view rest = record->second;
    auto position = format::DecodeLogKey(record->first);
    auto version = format::DecodeVersion(rest);
    if (!position || !version) return base::Err(CorruptRecord("log record"));
    pending_.Delete(database_->log(), record->first);

    std::string before;
    const auto status =
        version->previous_revision == 0
            ? ::rocksdb::Status::NotFound()
            : database_->db().Get({}, database_->log(),
                                  format::LogKey(version->previous_revision, position->key), &before);
    if (status.IsNotFound()) {  // none, or a deletion that is swept
      pending_.Delete(database_->index(), format::HeadKey(position->key));
      MoveAttachment(position->key, version->lease, 0);
      continue;
    }
    if (!status.ok()) return base::Err(ToError(status));
    std::string_view before_rest = before;
    auto previous = format::DecodeVersion(before_rest);
    if (!previous) return base::Err(CorruptRecord("log record"));
    pending_.Put(database_->index(), format::HeadKey(position->key),
                 format::EncodeHead(HeadOf(version->previous_revision, *previous)));
    MoveAttachment(position->key, version->lease, previous->lease);
  }
  return WritePending(/*sync=*/true);
}

Result<std::unique_ptr<Engine::View>> RocksDbEngine::OpenView() {
  std::shared_lock lock(mu_);
  if (!database_)
    return base::Err(Error{Code::kUnreachable, "the embedded store is closed until its disk works again"});
  return MakeRocksDbView(*database_, std::move(lock), compacted_);
}

}  // namespace keelson::storage
