// GarbageCollector: deletes what has lost all its owners; finishes deletions in the
// foreground (dependents first) and those that orphan.
//
// It keeps the graph of owners from the event logs and decides on the objects as they are,
// so an event that comes late or twice costs a look and no more. Many objects are worked on
// at once; how fast a cascade goes is up to the store.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/executor.h"
#include "base/string_hash.h"
#include "client/client.h"
#include "controllers/collected_objects.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"
#include "controllers/owner_graph.h"

namespace keelson::controllers {

// Borrows all.
class GarbageCollector final : public Controller {
 public:
  // `remote`: what aggregated APIs serve; null: nothing.
  GarbageCollector(const client::Client& client, base::Executor& loop,
                   const RemoteResources* remote = nullptr);

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "garbage_collector_attempt_to_delete");
  }

  // What failed is tried again after this, then after twice as long each time.
  static constexpr std::chrono::milliseconds kFirstRetry{50}, kMaxRetry{60'000};

 private:
  using Outcome = client::Result<void>;
  // Why an object is to be looked at.
  struct Work {
    ObjectRef object;
    bool new_owners = false;  // it names owners that nobody has looked for yet
    bool must_look = false;   // for another reason than new owners
  };
  // The owners of one object, by what keeps it or does not.
  struct Owners {
    std::vector<std::string> absent, going;  // uids; going: waits for its dependents to go
    bool kept = false;                       // by one that stays
    bool unknown = false;                    // by one that cannot be looked up
  };

  void OnChange(const ObjectChange& change);
  void OnGone(std::string_view uid);
  void LookAtAll();
  void WakeOwnersOf(std::string_view uid);
  // The owner is known to be there, and to stay for now.
  bool IsSettled(std::string_view owner) const;

  void Enqueue(const ObjectRef& object, bool new_owners = false);
  base::Task<bool> Process(std::string uid);

  // Does what the object's state asks for; an error is tried again.
  base::Task<Outcome> Collect(const ObjectRef& object, bool new_owners);
  base::Task<client::Result<Owners>> Classify(const ObjectRef& object, const ObjectState& state,
                                              bool new_owners);
  // Tells of an owner that is there, but where this object cannot have one.
  base::Task<void> ReportMisplaced(const ObjectRef& object, const api::OwnerReference& owner,
                                   CollectedObjects::Resource resource);
  base::Task<Outcome> DropOwners(const ObjectRef& object, const std::vector<std::string>& uids);
  base::Task<Outcome> DeleteUnowned(const ObjectRef& object, const ObjectState& state, const Owners& owners);
  base::Task<Outcome> FinishForeground(const ObjectRef& object);
  base::Task<Outcome> FinishOrphaning(const ObjectRef& object);
  struct Orphaning;
  base::Task<void> OrphanItems(std::shared_ptr<Orphaning> work);
  base::Task<Outcome> RemoveFinalizer(const ObjectRef& object, std::string_view finalizer);

  CollectedObjects objects_;
  OwnerGraph graph_;
  std::unordered_set<std::string, base::StringHash, std::equal_to<>>
      present_;  // uids of owners that are known to be there
  std::unordered_map<std::string, Work, base::StringHash, std::equal_to<>> work_;  // by uid
  bool active_ = false;
  KeyedQueue queue_;  // of uids
};

}  // namespace keelson::controllers
