// Engine: where an embedded backend's bytes lie. EmbeddedBackend does everything that is
// the same for all of them (order, comparing, publishing, leases); an engine stores
// versions of keys and finds them again.
//
// Threads: everything but OpenView and Health is called by the commit thread alone.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/backend.h"

namespace keelson::storage {

// The newest state of a key, as far as a commit needs it. A deleted key has one too until
// its deletion is compacted.
struct Head {
  Revision create_revision = 0;
  Revision mod_revision = 0;
  LeaseId lease = 0;
  bool deleted = false;
};

// A change and what it replaces.
struct Mutation {
  Change change;
  Revision previous_revision = 0;  // of the version before, a deletion included; 0: none
  LeaseId previous_lease = 0;
};

struct Lease {
  LeaseId id = 0;
  std::chrono::system_clock::time_point expiry;
};

// What a jump of the revision leaves behind; not below the prefix of any object.
inline constexpr std::string_view kJumpKey = "keelson/restored";

// What one commit writes: all of it or nothing.
struct Batch {
  std::vector<Mutation> mutations;  // revisions never decrease; keys repeat across revisions
  std::vector<Lease> granted;
  std::vector<LeaseId> ended;
  Revision compacted = 0;  // 0: unchanged

  bool empty() const { return mutations.empty() && granted.empty() && ended.empty() && compacted == 0; }
};

class Engine {
 public:
  virtual ~Engine() = default;

  // What a restart finds.
  struct State {
    Revision current = 0;
    Revision compacted = 0;
    std::vector<Lease> leases;
  };
  virtual Result<State> Load() = 0;

  virtual Result<std::optional<Head>> FindHead(std::string_view key) = 0;
  // Keys attached to `lease`, up to `limit`.
  virtual Result<std::vector<std::string>> KeysOf(LeaseId lease, size_t limit) = 0;

  // Durable when it returns. On an error the engine takes no further batch before Recover.
  virtual Result<void> Write(const Batch& batch) = 0;

  // After a failed Write: makes the engine writable again, with nothing in it that is newer
  // than `last`. An error: not yet; ask again later.
  virtual Result<void> Recover(Revision last) = 0;

  // Frees some of what the last compaction made unreachable: a slice of about a
  // millisecond. True: there is more.
  virtual Result<bool> Sweep() = 0;

  // Recover, or opening, took the last room there was on the disk, and something must be forgotten: once all
  // of history is compacted and swept, RegainSpace. Until that was enough only what `room` says may be
  // written.
  virtual bool SpaceIsShort() const { return false; }
  // Gives what was swept back to the disk: a slice of about a tenth of a second. True: there is more; false:
  // room is no longer short. kFull: all of it was not enough, something must be deleted; other errors: it
  // failed, and the engine takes no batch before Recover.
  virtual Result<bool> RegainSpace() { return false; }
  enum class Room : uint8_t {
    kNone,
    kDeletions,
    kReplacements,  // and values in place of others that are about as large
    kAny,
  };
  virtual Room room() const { return Room::kAny; }

  // Called every so often, about a millisecond each time: what is in memory to make writing fast, and is not
  // needed while little is written, can go.
  virtual void Rest() {}

  // A state of the store that stands still while it is read. Any thread. Reading at a
  // revision needs: it is not newer than the view, nor compacted when the view was opened.
  class View {
   public:
    virtual ~View() = default;
    // As of `revision`, whatever the options say of it. RangeResult::revision is left to the caller.
    virtual Result<RangeResult> Range(std::string_view start, std::string_view end, Revision revision,
                                      const RangeOptions& options) = 0;
    // Everything below `prefix` as of `revision`; the receiver is empty.
    virtual Result<void> ReadAll(std::string_view prefix, Revision revision, Receiver& receiver) {
      auto all = TRY(Range(prefix, PrefixEnd(prefix), revision, {}));
      TellAll(all.items, 0, receiver);
      return {};
    }
    virtual Result<std::optional<KeyValue>> Get(std::string_view key, Revision revision) = 0;
    // Changes below `prefix` in (after, last], in runs of whole revisions.
    using Sink = std::function<void(std::span<const Change>)>;
    virtual Result<void> ReadLog(std::string_view prefix, Revision after, Revision last,
                                 const Sink& sink) = 0;
  };
  // kUnreachable while the engine is closed for repair.
  virtual Result<std::unique_ptr<View>> OpenView() = 0;

  // Any thread: trouble that no Write has met yet.
  virtual Result<void> Health() const = 0;
};

}  // namespace keelson::storage
