// ServiceNetwork: the addresses and ports of services in this server: who gives them out,
// who repairs what went wrong, the range every cluster has, and the service by which pods
// reach the API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "base/result.h"
#include "base/task.h"
#include "registry/core/port_allocator.h"
#include "registry/core/service_allocator.h"
#include "registry/core/service_repair.h"
#include "registry/group.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::app {

// Threads: made by one; what it gives out is for any loop. The backend outlives it.
class ServiceNetwork {
 public:
  // Blocks while it loads.
  static base::Result<std::unique_ptr<ServiceNetwork>, std::string> Open(storage::Backend& backend,
                                                                         const Config& config);

  registry::Reserver& reserver() { return allocator_; }
  // Before anything below is called.
  void Use(const registry::Stores& stores) { stores_.real = &stores; }

  // The ServiceCIDR "kubernetes", made from the flags where it is absent.
  base::Task<base::Result<void, std::string>> EnsureDefaultRange();
  base::Task<base::Result<void, std::string>> Repair();

  // The service "kubernetes" and the endpoints of the servers behind it. This server is at
  // `address` (empty: at none that pods could use) and `port`; while it is alive it says so every few seconds
  // (a lease in storage), and whoever runs next drops those that no longer do.
  base::Task<base::Result<void, std::string>> Announce(std::string address, uint16_t port);
  // This server is about to stop.
  base::Task<base::Result<void, std::string>> Withdraw(std::string address, uint16_t port);

 private:
  // Rows are made before the stores are.
  struct LateStores final : registry::Stores {
    const registry::Stores* real = nullptr;
    registry::Store* Find(api::GroupResource resource, std::string_view subresource) const override {
      return real->Find(resource, subresource);
    }
  };

  ServiceNetwork(std::vector<api::Cidr> ranges, registry::core::PortRange ports,
                 std::unique_ptr<storage::Cacher> allocations, std::unique_ptr<storage::Cacher> leases);

  base::Task<base::Result<void, std::string>> EnsureService(uint16_t port);
  base::Task<base::Result<void, std::string>> RenewLease(std::string address);
  base::Task<base::Result<void, std::string>> EnsureEndpoints(uint16_t port);
  base::Task<base::Result<void, std::string>> MarkRangeReady();

  const std::vector<api::Cidr> ranges_;  // of the flags, primary first
  const std::unique_ptr<storage::Cacher> allocations_, leases_;
  LateStores stores_;
  registry::core::PortAllocator ports_;
  registry::core::ServiceAllocator allocator_;
  registry::core::ServiceRepair repair_;
};

}  // namespace keelson::app
