// ServiceNetwork: the addresses and ports of services in this server: who gives them out, and who repairs
// what went wrong.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/validation/ip.h"
#include "base/result.h"
#include "base/task.h"
#include "registry/core/port_allocator.h"
#include "registry/core/service_allocator.h"
#include "registry/core/service_repair.h"
#include "registry/group.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::registry::core {

// Threads: made by one; what it gives out is for any loop. The backend outlives it.
class ServiceNetwork {
 public:
  struct Options {
    std::string cluster_ip_range;  // one range, or one of each family: "10.0.0.0/24,fd00::/112"
    std::string node_port_range;   // "30000-32767"
    std::string registry_prefix;   // of keys
  };
  // Blocks while it loads. An error is ready to be shown.
  static base::Result<std::unique_ptr<ServiceNetwork>, std::string> Open(storage::Backend& backend,
                                                                         const Options& options);

  Reserver& reserver() { return allocator_; }
  const std::vector<api::Cidr>& ranges() const { return ranges_; }  // primary first
  // Before Repair is called, and services are written.
  void Use(const Stores& stores) { stores_.real = &stores; }

  base::Task<base::Result<void, std::string>> Repair() { return repair_.Run(); }

 private:
  // Rows are made before the stores are.
  struct LateStores final : Stores {
    const Stores* real = nullptr;
    Store* Find(api::GroupResource resource, std::string_view subresource) const override {
      return real->Find(resource, subresource);
    }
  };

  ServiceNetwork(std::vector<api::Cidr> ranges, PortRange ports,
                 std::unique_ptr<storage::Cacher> allocations);

  const std::vector<api::Cidr> ranges_;
  const std::unique_ptr<storage::Cacher> allocations_;
  LateStores stores_;
  PortAllocator ports_;
  ServiceAllocator allocator_;
  ServiceRepair repair_;
};

}  // namespace keelson::registry::core
