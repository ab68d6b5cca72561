// Backend: a revisioned key-value store with etcd's data model and no more. Three engines
// implement it (memory, rocksdb, etcd3) and pass one suite (storage/testing).
//
// Every successful transaction that writes gets the next revision; all its writes share
// it. History is kept until compacted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"
#include "base/task.h"
#include "storage/errors.h"

namespace keelson::base {
class Trace;
}

namespace keelson::storage {

using LeaseId = int64_t;  // 0: none

// Which key encrypted a value in the store: a number for each, for the life of a process.
using SealId = uint16_t;
constexpr SealId kUnsealed = 0;  // the value is stored as it is

struct KeyValue {
  std::string key;
  base::Slice value;
  Revision create_revision = 0;
  Revision mod_revision = 0;
  LeaseId lease = 0;
  SealId seal = kUnsealed;
};

// Holds when the key's newest revision is `mod_revision`; 0: when the key is absent.
struct Compare {
  std::string key;
  Revision mod_revision = 0;
};

class Object;

// What a write has with it on its way through this process: from the writer to those who are told of the
// change, and back. It is not stored.
class WriteTag {
 public:
  WriteTag() = default;
  explicit WriteTag(base::Slice in_memory) : in_memory_(std::move(in_memory)) {}
  virtual ~WriteTag() = default;
  // The envelope that the written value is in memory, where the value is encoded otherwise; empty: the value
  // must be looked at.
  const base::Slice& in_memory() const { return in_memory_; }
  // What the cache made of the write. Called from within Observer::OnChanges, and so before the writer is
  // told of its success; never afterwards.
  virtual void OnObject(const Object& object) = 0;

  // The value as it was before a backend encrypted it, and the seal that backend gave it. Set by that backend
  // before it commits; who is told of the change then need not decrypt what this process has encrypted.
  struct Plain {
    base::Slice value;
    SealId seal = kUnsealed;
  };
  void SetPlain(Plain plain) { plain_ = std::move(plain); }
  const std::optional<Plain>& plain() const { return plain_; }

 private:
  const base::Slice in_memory_;
  std::optional<Plain> plain_;
};

struct Write {
  enum class Type : uint8_t { kPut, kDelete } type = Type::kPut;
  std::string key;
  base::Slice value;  // kPut
  LeaseId lease = 0;
  std::shared_ptr<WriteTag> tag;  // handed through to the observers in this process
};

struct Txn {
  std::vector<Compare> compares;  // all must hold
  std::vector<Write> writes;      // distinct keys
  // False: whoever is refused does not look at the value of TxnResult::current, and it may be left empty.
  bool wants_current_value = true;
  base::Trace* trace = nullptr;  // of the request that writes; null: nobody traces it. Outlives the commit.
  std::string trace_parent;      // the field of that name for a store that is asked; empty: none
};

struct TxnResult {
  bool succeeded = false;
  Revision revision = 0;  // of the commit, or the store's when not succeeded
  // Not succeeded: the key whose compare failed, if present. Its value is empty where reading it would take
  // an answer from a key service, and may be where Txn::wants_current_value is false.
  std::optional<KeyValue> current;
};

struct RangeOptions {
  Revision revision = 0;  // 0: now
  size_t limit = 0;       // 0: all
  bool keys_only = false;
  bool counted = true;  // false: reading ends at the limit, and `count` says nothing
};

struct RangeResult {
  Revision revision = 0;  // the store's when it was read
  std::vector<KeyValue> items;
  bool more = false;
  int64_t count = 0;  // keys in the whole range, ignoring the limit
};

// One change as observers see it. A delete has no value.
struct Change {
  Write::Type type;
  std::string_view key;
  base::Slice value;
  Revision create_revision = 0;
  Revision revision = 0;
  LeaseId lease = 0;
  // Write::tag when committed by this process. Borrowed until OnChanges returns: the writer may be gone then.
  WriteTag* tag = nullptr;
  SealId seal = kUnsealed;
};

// A change that outlives the call that told of it. It has its own key, and no tag.
class KeptChange {
 public:
  explicit KeptChange(const Change& change) : key_(change.key), change_(change) { change_.tag = nullptr; }

  const std::string& key() const { return key_; }
  // Its key is this object's.
  Change Get() const {
    Change change = change_;
    change.key = key_;
    return change;
  }

 private:
  std::string key_;
  Change change_;  // but for the key
};

// Sees every change below its prefix, in order of revision, each once; in what order the
// changes of one revision come is not said.
//
// Threads: called from the backend's commit thread, before the writers of these changes
// hear of their success; so a write that was acknowledged is always in the cache. History
// comes from the subscribing thread, before Subscribe returns. Never two calls at a time.
// Must be quick and must not call back into the backend, nor destroy a subscription.
class Observer {
 public:
  virtual ~Observer() = default;
  // `changes` of one or more whole revisions; may be empty: everything up to `revision`
  // has been delivered, and can be read.
  virtual void OnChanges(std::span<const Change> changes, Revision revision) = 0;
  // The feed has ended. kUnreachable: a new subscription can go on after what was delivered; any other code:
  // what came since may be missing from history, and everything must be read again.
  virtual void OnBroken(const Error& error) = 0;
  // The feed has ended because the store has lost what it told of, or is another store: what was delivered
  // may never have been. Everything must be read again, and nothing may be served until then.
  virtual void OnHistoryLost(const Error& error) { OnBroken(error); }
};

// A key and its value, for as long as somebody is told of them.
struct StoredView {
  std::string_view key, value;
  Revision create_revision = 0;
  Revision mod_revision = 0;
  SealId seal = kUnsealed;
};

// Takes everything below a prefix, in whatever order it can be read fastest.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // Whatever was taken so far is void.
  virtual void StartOver() = 0;
  // There are at least so many; more than were announced last. Nobody takes meanwhile.
  virtual void Expect(size_t count) = 0;
  // What is at `position` in the order of keys, each announced position once. Any threads, several at a time.
  virtual void Take(size_t position, const StoredView& stored) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Any thread; resumes on the caller's executor once the transaction is durable and
  // published to the observers. kUnreachable: nothing was written, or, where `detail` says
  // so, that is not known. kNotFound: a write names a lease that has ended; kInvalidOption: two
  // writes have the same key.
  virtual base::Task<Result<TxnResult>> Commit(Txn txn) = 0;

  // Keys in [start, end), in order; an empty `end` means to the last key. May block on the disk: called from
  // start-up, the commit thread or a worker, not from a loop. kExpired: `revision` is compacted; kTooLarge:
  // it is in the future.
  virtual Result<RangeResult> Range(std::string_view start, std::string_view end,
                                    const RangeOptions& options) = 0;
  virtual Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) = 0;

  // Tells `receiver` of everything below `prefix` as of one revision, which is returned; `page` at a time
  // where the store is asked in pages. May block, as Range does.
  virtual Result<Revision> ReadAll(std::string_view prefix, Receiver& receiver, size_t page);

  // Delivers what is below `prefix` and newer than `after`, first from history, then as
  // it happens, with no gap. The observer has been told of everything that was there when
  // this returns. Destroying the subscription stops it; no call comes after. It must not
  // outlive the backend. May block.
  // kExpired: changes after `after` are compacted; kTooLarge: it is in the future.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  virtual Result<std::unique_ptr<Subscription>> Subscribe(std::string prefix, Revision after,
                                                          Observer& observer) = 0;

  // Keys written with the lease are deleted, by ordinary transactions, once it ends.
  virtual base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) = 0;

  // Forgets history before `revision`; the newest state of every key stays, and so does
  // what happened at `revision`. kExpired: it is compacted already; kTooLarge: in the future.
  virtual base::Task<Result<void>> Compact(Revision revision) = 0;

  // Every observer has been told of everything up to it: what a cache that saw nothing
  // since may call its own revision.
  virtual Revision CurrentRevision() const = 0;
  // The store's revision becomes `revision` and everything before it is compacted, unless it is there
  // already: for a store that takes another's place, whose clients then list again and never meet a revision
  // that means something else. kInvalidOption: this store counts by itself.
  virtual base::Task<Result<void>> Jump(Revision revision);

  virtual Revision CompactedRevision() const = 0;

  // A number that changes when the store has lost what it told of (OnHistoryLost). What was read under
  // another number must be read again: who is not subscribed at that moment hears of it no other way.
  virtual uint64_t History() const { return 0; }

  // Whether other processes write to the store too. If not, CurrentRevision() is the newest
  // there is, and CatchUp(0) has nothing to wait for.
  virtual bool shared() const { return false; }
  // Resumes once every observer has been told of everything up to `revision`; 0: of everything
  // that anybody was told is written before this call. kTooLarge: `revision` did not come
  // in time; kUnreachable: the store does not say what is written.
  virtual base::Task<Result<void>> CatchUp(Revision revision);

  // The seal that a value written to `key` now would have. One that has another should be written again
  // when it is next updated, even if it does not change.
  virtual SealId SealOf(std::string_view /*key*/) const { return kUnsealed; }

  // An error while the backend cannot take writes (disk full, I/O error, no etcd).
  virtual Result<void> Health() const = 0;
};

// Tells of `items`, which are in order; the first has that position.
void TellAll(std::span<const KeyValue> items, size_t position, Receiver& receiver);

// The end of the range of keys that start with `prefix`; empty (no end) when every key
// after it does.
std::string PrefixEnd(std::string_view prefix);

}  // namespace keelson::storage
