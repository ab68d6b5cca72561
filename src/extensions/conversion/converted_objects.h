// ConvertedObjects: the stored objects of a custom resource in one of its versions. What was converted is
// kept, by uid and resourceVersion, within a bound of bytes; who wants what is being converted waits for
// that. So an event is converted once for all watches of the version, and encoded once.
//
// An example: two informers watch v1 and one v2, the stored version, of a resource. Object a changes: the
// informers of v1 ask for a at its new resourceVersion, and the second finds the question of the first under
// way. One review is sent; both are given the same event. The informer of v2 is given the object as it is
// stored.
//
// A conversion belongs to nobody in particular: a request that waits for one has given its place back
// (base::Occupancy), and leaves when its own deadline comes; the conversion goes on for the others and for
// who comes next.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/types/custom_type.h"
#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/occupancy.h"
#include "base/task.h"
#include "storage/interface.h"
#include "storage/object_factory.h"

namespace keelson::extensions {

struct ConvertedObjectsOptions {
  size_t most_bytes = size_t{32} << 20;  // of what is kept
  const base::Clock* clock = &base::Clock::Real();
};

// Threads: any.
// Ownership: shared, made by Create; a conversion under way has its share.
class ConvertedObjects final : public std::enable_shared_from_this<ConvertedObjects> {
 public:
  // `version`: borrowed, and so is its converter; `owner` is what both belong to. `prefix`: of the keys of
  // the resource. Requires: the version's kind has a converter.
  static std::shared_ptr<ConvertedObjects> Create(const api::ResourceDesc& version, std::string prefix,
                                                  std::shared_ptr<const void> owner,
                                                  ConvertedObjectsOptions options = {});

  const api::ResourceDesc& version() const { return version_; }
  const std::string& api_version() const { return api_version_; }
  const api::CustomConverter& converter() const { return converter_; }
  bool IsInVersion(const storage::Object& object) const;

  // An object that is wanted in the version.
  struct Wanted {
    storage::ObjectPtr object;
    // It is shown at a revision that is another object's of the same uid: what left a selection is shown as
    // it was before, at the revision of the event that took it away.
    bool as_before = false;
  };
  // What it is in the version: an event with the object and its encodings. Null: it must be converted.
  storage::EventPtr Find(const Wanted& wanted);
  // All of them in the version, in their order, asked for with one question. The error ends the request.
  // `occupancy`: of the request that waits; null: nobody's. It outlives the call.
  base::Task<storage::Result<std::vector<storage::EventPtr>>> Convert(std::vector<Wanted> wanted,
                                                                      bool as_list,
                                                                      base::Occupancy* occupancy);
  base::Task<storage::Result<storage::ObjectPtr>> Convert(storage::ObjectPtr object,
                                                          base::Occupancy* occupancy);

  // An object of this version with another resourceVersion.
  storage::ObjectPtr AtRevision(const storage::Object& object, storage::Revision revision) const {
    return factory_.AtRevision(object, revision);
  }
  size_t bytes() const;

 private:
  using Result = storage::Result<storage::EventPtr>;
  // Somebody who wants what is under way. It is told true when that is there, false when it is out of time.
  struct Waiter {
    base::Clock::SteadyTime deadline;
    base::Completion<bool> landed;
  };
  // A conversion under way.
  struct Flight {
    std::vector<Waiter> waiters;
    std::shared_ptr<const Result> result;  // null until it is there
  };
  using FlightPtr = std::shared_ptr<Flight>;
  struct Kept {
    std::string key;
    storage::EventPtr event;
    size_t bytes = 0;
  };

  // What somebody who wants several objects has to wait for.
  struct Boarding {
    std::vector<std::pair<size_t, FlightPtr>> flights;  // by the object's place
    std::vector<base::Completion<bool>> landings;
    // What nobody has asked for yet; its flights are there and wait for Fly.
    std::vector<Wanted> unasked;
    std::vector<std::string> unasked_keys;
    bool late = false;  // there is no time to wait
  };

  ConvertedObjects(const api::ResourceDesc& version, std::string prefix, std::shared_ptr<const void> owner,
                   ConvertedObjectsOptions options);
  static std::string KeyOf(const Wanted& wanted);
  storage::EventPtr FindLocked(const std::string& key) REQUIRES_LOCK(mu_);
  void KeepLocked(const std::string& key, const storage::EventPtr& event) REQUIRES_LOCK(mu_);
  // Takes what is kept into `events`, and boards the flights of the rest.
  Boarding Board(const std::vector<Wanted>& wanted, base::Clock::SteadyTime deadline,
                 std::vector<storage::EventPtr>& events);
  base::Completion<bool> WaitLocked(Flight& flight, base::Clock::SteadyTime deadline) REQUIRES_LOCK(mu_);
  // Lets those leave whose deadline has come, and looks again later if anybody has one.
  void LookAtClock();
  // Asks for objects that nobody has asked for, as `keys` say in `flights_`, and ends the flights in their
  // order.
  static base::Task<void> Fly(std::shared_ptr<ConvertedObjects> self, std::vector<Wanted> wanted,
                              std::vector<std::string> keys, bool as_list);
  base::Task<storage::Result<std::vector<storage::EventPtr>>> Ask(const std::vector<Wanted>& wanted,
                                                                  bool as_list);
  void Land(const std::string& key, Result result);

  const api::ResourceDesc& version_;
  const std::string api_version_;
  const api::CustomConverter& converter_;
  const std::shared_ptr<const void> owner_;
  const storage::ObjectFactory factory_;
  const ConvertedObjectsOptions options_;

  mutable base::Mutex mu_;
  std::list<Kept> kept_ GUARDED_BY(mu_);  // the most recently used first
  std::unordered_map<std::string, std::list<Kept>::iterator> index_ GUARDED_BY(mu_);
  size_t bytes_ GUARDED_BY(mu_) = 0;  // sum over kept_
  std::unordered_map<std::string, FlightPtr> flights_ GUARDED_BY(mu_);
  bool looking_ GUARDED_BY(mu_) = false;  // LookAtClock will be called
};

// What a request is told of a conversion that failed: a 500 with the bare text, as upstream; if it is out of
// time, a 504.
storage::Error ConversionFailed(const api::ConversionError& error);

}  // namespace keelson::extensions
