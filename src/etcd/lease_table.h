// LeaseTable: which leases there are, until when, and which keys go with them.
//
// Threads: the owner's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "etcd/errors.h"
#include "etcd/messages.h"

namespace keelson::etcd {

class LeaseTable {
 public:
  explicit LeaseTable(const base::Clock& clock) : clock_(clock) {}

  // A new lease; `id` 0: any. One second at least.
  Result<LeaseAnswer> Grant(LeaseId id, int64_t ttl);
  // A lease that a key was found with: as if granted just now, unless it is there.
  void Restore(LeaseId id, int64_t ttl, const std::string& key);
  // Its time begins anew. A ttl of 0: there is no such lease.
  LeaseAnswer KeepAlive(LeaseId id);

  bool Has(LeaseId id) const { return leases_.contains(id); }
  int64_t Ttl(LeaseId id) const;  // as granted; 0: no such lease
  LeaseState StateOf(LeaseId id) const;
  std::vector<LeaseId> All() const;

  // 0 is nobody's.
  void Attach(LeaseId id, const std::string& key);
  void Detach(LeaseId id, const std::string& key);

  // A lease whose time is over. Looks at the clock only while none can be.
  std::optional<LeaseId> Ended();
  std::vector<std::string> KeysOf(LeaseId id) const;
  void Remove(LeaseId id) { leases_.erase(id); }

 private:
  struct Lease {
    int64_t ttl = 0;
    base::Clock::SteadyTime end;
    std::set<std::string> keys;
  };
  base::Clock::SteadyTime EndOf(int64_t ttl) const { return clock_.SteadyNow() + std::chrono::seconds(ttl); }

  const base::Clock& clock_;
  std::map<LeaseId, Lease> leases_;
  base::Clock::SteadyTime soonest_ = base::Clock::SteadyTime::max();  // no lease ends before
};

}  // namespace keelson::etcd
