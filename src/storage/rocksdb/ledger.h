// Ledger: what must be in the files of a store. RocksDB's write-ahead log and its manifest say nothing of how
// long they must be, so that a file which lost its end, or is gone, looks like one that never had more. The
// ledger is a small file beside them that knows, of every log and manifest in use, how many bytes of it have
// been synced and their checksum; and the newest revision that anybody was told of.
//
// It has two slots, written in turn, each with a number and a checksum: one that is damaged, or half written,
// leaves the other. The format is in docs/formats/embedded-store.md, the reasons in
// docs/design/0058-ledger.md.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "storage/errors.h"

namespace keelson::storage {

class Ledger {
 public:
  static constexpr std::string_view kName = "ledger";

  struct Extent {
    uint64_t bytes = 0;
    uint32_t checksum = 0;  // CRC-32C of them
  };
  struct State {
    uint64_t serial = 0;
    Revision revision = 0;  // the newest that was acknowledged
    std::map<std::string, Extent> files;
  };

  // Of the store in the directory `store`. kNotFound: it has none; kCorrupt: neither slot can be read.
  static Result<State> Read(const std::string& store);
  // Replaces the ledger of the store; durable when it returns.
  static Result<void> Create(const std::string& store, const State& state);
  // Goes on with the one that is there.
  static Result<std::unique_ptr<Ledger>> Open(const std::string& store);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // So much of the file is on the disk. Nothing is written yet: whoever tells anybody of it says Publish or
  // Acknowledge first.
  void Note(const std::string& file, Extent extent) EXCLUDES(mu_);
  // Written, and so safe from the end of this process; a loss of power may take back some tenths of a second.
  Result<void> Publish() EXCLUDES(mu_);
  Result<void> Acknowledge(Revision revision) EXCLUDES(mu_);
  // On the disk, in both slots: files that it no longer names may go.
  Result<void> PublishDurably() EXCLUDES(mu_);
  // The file may go. A log only goes durably: missing while it is listed, it would be missed.
  Result<void> Forget(const std::string& file, bool durably) EXCLUDES(mu_);
  Revision revision() const EXCLUDES(mu_);

 private:
  Ledger(std::string path, int fd, State state);
  Result<void> WriteSlot() REQUIRES_LOCK(mu_);
  Result<void> Sync();
  void StartWriteback() REQUIRES_LOCK(mu_);

  const std::string path_;
  const int fd_;
  mutable base::Mutex mu_;
  State state_ GUARDED_BY(mu_);
  std::string slot_ GUARDED_BY(mu_);  // kept for its memory
  std::chrono::steady_clock::time_point next_writeback_ GUARDED_BY(mu_);
};

}  // namespace keelson::storage
