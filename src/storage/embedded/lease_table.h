// LeaseTable: when each lease ends. The keys of a lease are the engine's to find.
//
// Threads: the commit thread's own.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "storage/embedded/engine.h"

namespace keelson::storage {

class LeaseTable {
 public:
  using Time = std::chrono::system_clock::time_point;

  LeaseTable();

  // An id that no lease has.
  LeaseId NewId();
  void Add(const Lease& lease);
  // Ended and its keys are gone.
  void Remove(LeaseId id);

  // Whether a key may still be attached to it.
  bool Alive(LeaseId id, Time now) const;
  // The one that has been over for longest at `now`.
  std::optional<LeaseId> FirstOver(Time now) const;
  std::optional<Time> NextExpiry() const;

  std::vector<Lease> All() const;

 private:
  std::mt19937_64 random_;
  std::unordered_map<LeaseId, Time> expiry_;
  std::set<std::pair<Time, LeaseId>> by_expiry_;
};

}  // namespace keelson::storage
