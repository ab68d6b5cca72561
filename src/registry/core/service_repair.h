// ServiceRepair: makes what is taken agree with what services have. A crash between taking
// an address or a port and writing its service leaves it taken; other hands may change
// IPAddress objects.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "auth/user.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "registry/core/ip_allocator.h"
#include "registry/core/port_allocator.h"
#include "registry/group.h"

namespace keelson::registry::core {

// Threads: one run at a time, on any loop. Everything passed in outlives it.
class ServiceRepair {
 public:
  ServiceRepair(const Stores& stores, const auth::User& user, PortAllocator& ports,
                const base::Clock& clock = base::Clock::Real())
      : stores_(stores), user_(user), ips_(stores, user), ports_(ports), clock_(clock) {}

  // Takes at once what services have and is not taken. What is taken and no service has is
  // released later: it may belong to a service that is just being written.
  base::Task<base::Result<void, std::string>> Run();

 private:
  struct Service {
    std::vector<std::string> ips;
    int64_t created = 0;
    bool external = false;
  };
  using Services = std::map<std::pair<std::string, std::string>, Service>;  // by namespace and name

  base::Task<base::Result<Services, std::string>> ReadServices(std::set<int>& ports);
  base::Task<base::Result<void, std::string>> RepairPorts(std::set<int> used);
  base::Task<base::Result<void, std::string>> TakeMissingIps(const Services& services);
  base::Task<base::Result<void, std::string>> ReleaseLeakedIps(const Services& services);
  bool MayBeLeaked(const api::Doc& address, const Services& services) const;

  const Stores& stores_;
  const auth::User& user_;
  IpAllocator ips_;
  PortAllocator& ports_;
  const base::Clock& clock_;
  std::map<int, int> leaks_;  // ports that nobody seems to have: how many runs they stay taken
};

}  // namespace keelson::registry::core
