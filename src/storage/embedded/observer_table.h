// ObserverTable: which subscriptions a key concerns, and telling them.
//
// Threads: any; Publish and Remove exclude each other, so that after Remove no call comes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/backend.h"

namespace keelson::storage {

class ObserverTable {
 public:
  void Add(std::string_view prefix, Observer& observer);
  // The same for an observer that has seen everything up to `revision`, and is told so, if `nothing_newer`
  // has been written: what is written later is published to it. False: it was not added.
  bool AddIf(std::string_view prefix, Observer& observer, Revision revision,
             const std::function<bool()>& nothing_newer);
  // Requires: added before with the same prefix; not called from within an observer.
  void Remove(std::string_view prefix, Observer& observer);

  // Tells every observer that one of the changes concerns, each once with all of its own.
  void Publish(std::span<const Change> changes, Revision revision);

  // Tells every observer that its feed broke, or that history was lost, and forgets them all.
  void BreakAll(const Error& error, bool history_lost = false);

 private:
  // All observers of one prefix. Sorted by prefix, the ones that contain it come before
  // it; `parent` is the nearest of them. The prefixes of a key are thus found by one
  // binary search and a walk up: see Match in the source.
  struct Group {
    std::string prefix;
    Group* parent = nullptr;
    std::vector<Observer*> observers;
    std::vector<Change> pending;  // only during Publish
  };
  void AddLocked(std::string_view prefix, Observer& observer) REQUIRES_LOCK(mu_);
  Group* Match(std::string_view key) REQUIRES_LOCK(mu_);
  using Groups = std::vector<std::unique_ptr<Group>>;
  // The groups below the one at `at` change their parent from one to the other; the rest stays as it is.
  void Adopt(Groups::iterator at, const Group* from, Group* to) REQUIRES_LOCK(mu_);

  base::Mutex mu_;
  Groups groups_ GUARDED_BY(mu_);
  std::vector<Group*> touched_ GUARDED_BY(mu_);
};

}  // namespace keelson::storage
