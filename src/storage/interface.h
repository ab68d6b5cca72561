// Interface: storage of one resource as the registry sees it. Two implement it: DirectStore (storage/direct)
// reads and writes a Backend; the Cacher (storage/cacher) stands on a DirectStore, answers reads and watches
// from memory, and hands writes down. Both pass one suite (storage/testing/interface_suite). Keys and values
// are upstream's.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/occupancy.h"
#include "base/slice.h"
#include "base/task.h"
#include "storage/errors.h"
#include "storage/object.h"
#include "storage/selection.h"

namespace keelson::base {
class Trace;
struct RequestNotes;
}  // namespace keelson::base

namespace keelson::storage {

enum class VersionMatch : uint8_t { kUnset, kNotOlderThan, kExact };

// In all options, `occupancy` is that of the request which waits, `trace` what is recorded of it, and `notes`
// where the time is added up that the store takes; null: no request waits, nothing is recorded. They outlive
// the call.
struct GetOptions {
  std::string resource_version;  // "", "0" or a number, as the client sent it
  bool metadata_only = false;    // nobody looks at more than the metadata, which no version changes
  base::Occupancy* occupancy = nullptr;
  base::Trace* trace = nullptr;
  base::RequestNotes* notes = nullptr;
};

struct ListOptions {
  std::string ns;  // only this namespace; empty: all
  std::string resource_version;
  VersionMatch match = VersionMatch::kUnset;
  Selection selection;
  int64_t limit = 0;  // 0: all
  std::string continue_token;
  bool metadata_only = false;  // as GetOptions'
  base::Occupancy* occupancy = nullptr;
  base::Trace* trace = nullptr;
  base::RequestNotes* notes = nullptr;
};

struct CreateOptions {
  std::optional<std::chrono::seconds> ttl;
  base::Occupancy* occupancy = nullptr;
  base::Trace* trace = nullptr;
  base::RequestNotes* notes = nullptr;
};

// Of updates and deletions.
struct ChangeOptions {
  // Preconditions: what the object must have.
  std::optional<std::string> uid = std::nullopt;
  std::optional<std::string> resource_version = std::nullopt;
  base::Occupancy* occupancy = nullptr;
  base::Trace* trace = nullptr;
  base::RequestNotes* notes = nullptr;
};

// Keeps the objects of a list alive.
class ObjectHolder {
 public:
  virtual ~ObjectHolder() = default;
};
// One that holds them one by one.
class HeldObjects final : public ObjectHolder {
 public:
  std::vector<ObjectPtr> objects;
};

// Items are borrowed from `holder`: no count is touched per item.
struct ListResult {
  Revision revision = 0;
  std::vector<const Object*> items;
  std::shared_ptr<const ObjectHolder> holder;
  std::string continue_token;        // empty: the list is complete
  std::optional<int64_t> remaining;  // items after this page, when known
};

// What an update makes of the current object: what to store, or no change. Whoever makes it decides whether
// anything changes (SameContent, Stale); storage writes what it is given.
struct Update {
  Draft stored;
  std::optional<std::chrono::seconds> ttl;
  bool unchanged = false;  // keep the current object, write nothing
  bool remove = false;     // delete it (the last finalizer went)
};
// Called with the current object (null when absent and that is allowed), again after each
// conflict. An error ends the update as kAborted with that cause.
using UpdateFn =
    std::function<base::Task<base::Result<Update, std::shared_ptr<const api::Status>>>(ObjectPtr current)>;
// Last word before a delete: an error aborts it.
using DeleteCheckFn = std::function<base::Result<void, std::shared_ptr<const api::Status>>(const Object&)>;

enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

// The shared part of an event: made once, read by every watcher.
class Event final : public base::RefCounted<Event> {
 public:
  EventType type = EventType::kAdded;  // of the object itself, before any selector
  Revision revision = 0;
  ObjectPtr object;    // after; for a delete the last state, at the delete's revision
  ObjectPtr previous;  // before; null when created

  // An encoding of `object` shared by every watcher that needs it: 0 to 3, the
  // endpoints' business which. Null until set; the first Set wins and is returned.
  const base::Slice* Encoding(size_t slot) const;
  const base::Slice& SetEncoding(size_t slot, base::Slice encoded) const;

  Event() = default;
  ~Event();

 private:
  mutable std::atomic<base::Slice*> encodings_[4] = {};
};
using EventPtr = base::IntrusivePtr<const Event>;

// One event as one watcher must be told of it: a selector can turn a modification into
// an addition or a deletion.
struct WatchEvent {
  EventType type = EventType::kAdded;
  ObjectPtr object;  // null for a bookmark or an error
  EventPtr shared;   // where encodings are memoised; null for initial and derived objects
  Revision revision = 0;
  bool initial_events_end = false;     // bookmark that ends sendInitialEvents
  std::shared_ptr<const Error> error;  // kError: why the watch ends
};

struct WatchOptions {
  std::string ns;
  std::string resource_version;
  Selection selection;
  bool allow_bookmarks = false;
  bool send_initial_events = false;  // with kNotOlderThan: the streaming list
  VersionMatch match = VersionMatch::kUnset;
  bool metadata_only = false;  // as GetOptions'
  // As GetOptions', until the watch is there.
  base::Trace* trace = nullptr;
  base::RequestNotes* notes = nullptr;
};

// The events of one watch, which its owner takes when it has room for them.
//
// Threads: belongs to the executor it was made on, where `waker` is called too.
class WatchStream {
 public:
  enum class State : uint8_t { kMore, kSleep, kEnd };
  virtual ~WatchStream() = default;
  // Appends up to `limit` events. kSleep: none now; the waker will be called once when
  // there is one. kEnd: an error event was the last.
  virtual State Poll(size_t limit, std::vector<WatchEvent>& out) = 0;
  virtual void SetWaker(std::function<void()> waker) = 0;
  // The newest revision up to which everything that concerns this watch was taken: for bookmarks.
  virtual Revision position() const = 0;
};

class Interface {
 public:
  virtual ~Interface() = default;

  // Keys are relative to the resource: "ns/name" or "name".
  virtual base::Task<Result<ObjectPtr>> Create(std::string key, Draft draft, CreateOptions options) = 0;
  virtual base::Task<Result<ObjectPtr>> Get(std::string key, GetOptions options) = 0;
  virtual base::Task<Result<ListResult>> List(ListOptions options) = 0;
  // `create_if_absent`: `update` is then called with null. Returns the object as stored;
  // after Update::remove the object that was removed.
  virtual base::Task<Result<ObjectPtr>> GuaranteedUpdate(std::string key, bool create_if_absent,
                                                         ChangeOptions options, UpdateFn update) = 0;
  virtual base::Task<Result<ObjectPtr>> Delete(std::string key, ChangeOptions options,
                                               DeleteCheckFn check) = 0;
  virtual base::Task<Result<std::unique_ptr<WatchStream>>> Watch(WatchOptions options) = 0;
  // Whether `object` is kept in a form that is not written any more (another encryption key): an update
  // should then write it even if it changes nothing.
  virtual bool Stale(const Object& /*object*/) const { return false; }
  virtual int64_t Count() const = 0;
  virtual Revision CurrentRevision() const = 0;
  // At least the revision of the newest change that reads here see, and that watches started before have to
  // tell. Unlike CurrentRevision it stays as it is while only other resources change. Costs a load.
  virtual Revision NewestChange() const { return CurrentRevision(); }
  // Whether NewestChange covers everything that was acknowledged. Not while a cache has lost its feed: then
  // what is written comes to it later, and sleeping watches are woken when it has come.
  virtual bool Follows() const { return true; }
  // How often everything was read anew. What was known of the objects before may never have been.
  virtual uint64_t Loads() const { return 0; }
};

}  // namespace keelson::storage
