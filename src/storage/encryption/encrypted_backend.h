// EncryptedBackend: a backend whose values are encrypted in the store. Above it everything is plain: caches
// are filled with what was decrypted once, and reads from them cost nothing more. What this process wrote
// with a WriteTag is not decrypted at all: the plain value comes to the observers with the tag.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "storage/backend.h"
#include "storage/encryption/encryption.h"

namespace keelson::storage::encryption {

// A key below `prefix` whose value is encrypted; none: all are plain. Reads page by page until it finds one;
// may block, as Backend::Range does.
Result<std::optional<std::string>> FindEncrypted(Backend& stored, std::string_view prefix);

// Reading a value that cannot be decrypted is an error (kCorrupt) that names its key; in a feed such a
// value is logged and comes as it is stored, which no object looks like. Where a key service could not be
// asked, reading is kUnreachable. A feed waits for no key service: at a value that needs one it breaks
// (kUnreachable), and who subscribes again waits for the key first, on the subscribing thread.
//
// Threads: as Backend's.
class EncryptedBackend final : public Backend {
 public:
  EncryptedBackend(std::unique_ptr<Backend> below, std::unique_ptr<const Encryption> encryption);
  ~EncryptedBackend() override;

  // From now on by these rules; what was written before keeps its seal until it is written again.
  void Use(std::unique_ptr<const Encryption> encryption);

  base::Task<Result<TxnResult>> Commit(Txn txn) override;
  Result<RangeResult> Range(std::string_view start, std::string_view end,
                            const RangeOptions& options) override;
  Result<Revision> ReadAll(std::string_view prefix, Receiver& receiver, size_t page) override;
  Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) override;
  Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                  Observer& observer) override;
  base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) override {
    return below_->GrantLease(ttl);
  }
  base::Task<Result<void>> Compact(Revision revision) override { return below_->Compact(revision); }
  base::Task<Result<void>> Jump(Revision revision) override { return below_->Jump(revision); }
  Revision CurrentRevision() const override { return below_->CurrentRevision(); }
  Revision CompactedRevision() const override { return below_->CompactedRevision(); }
  bool shared() const override { return below_->shared(); }
  uint64_t History() const override { return below_->History(); }
  base::Task<Result<void>> CatchUp(Revision revision) override { return below_->CatchUp(revision); }
  Result<void> Health() const override { return below_->Health(); }
  SealId SealOf(std::string_view key) const override { return rules().For(key).seal(); }

 private:
  class Feed;

  const Encryption& rules() const { return *rules_.load(std::memory_order_acquire); }
  Result<void> Decrypt(KeyValue& kv) const;
  Result<void> ReadAwaited(const std::string& prefix) EXCLUDES(mu_);
  base::Task<Result<TxnResult>> CommitEncrypted(Txn txn);

  const std::unique_ptr<Backend> below_;
  std::atomic<const Encryption*> rules_;
  // All that were ever used: a reader may still hold one, and there are few.
  base::Mutex mu_;
  std::vector<std::unique_ptr<const Encryption>> owned_ GUARDED_BY(mu_);
  // By the prefix of a feed that broke: the value at which it did.
  struct Awaited {
    std::string key;
    base::Slice value;
  };
  std::map<std::string, Awaited, std::less<>> awaited_ GUARDED_BY(mu_);
};

}  // namespace keelson::storage::encryption
