// ServiceAllocator: gives services their cluster IPs and node ports when they are written,
// and takes them back when they are gone.
#pragma once

#include <memory>

#include "auth/user.h"
#include "registry/core/ip_allocator.h"
#include "registry/core/port_allocator.h"
#include "registry/core/service_fields.h"
#include "registry/group.h"
#include "registry/reservation.h"

namespace keelson::registry::core {

// Threads: any loop. Everything passed in is borrowed and outlives it.
class ServiceAllocator final : public Reserver {
 public:
  ServiceAllocator(const Stores& stores, const auth::User& user, IpFamilies families, PortAllocator& ports)
      : stores_(stores), user_(user), families_(families), ips_(stores, user), ports_(ports) {}

  base::Task<Result> BeginCreate(const rest::WriteRequest& request, api::Doc& doc) override;
  base::Task<Result> BeginUpdate(const rest::WriteRequest& request, api::Doc& now,
                                 const api::Doc& was) override;
  base::Task<void> AfterDelete(const api::Doc& gone) override;

 private:
  class Taken;

  // Gives each of the service's families from `first` on the address it names, or any.
  base::Task<rest::Result<void>> TakeIps(api::core_v1::ServiceEditor service, size_t first, bool dry_run,
                                         Taken& taken);
  base::Task<rest::Result<void>> UpdateIps(api::core_v1::ServiceEditor now, api::core_v1::ServiceView was,
                                           bool dry_run, Taken& taken);
  base::Task<rest::Result<void>> TakePorts(api::core_v1::ServiceEditor now, api::core_v1::ServiceView was,
                                           bool dry_run, Taken& taken);
  base::Task<void> ReleaseIps(std::vector<api::IpAddress> ips);
  base::Task<void> ReleasePorts(std::vector<int> ports);

  const Stores& stores_;
  const auth::User& user_;
  const IpFamilies families_;
  IpAllocator ips_;
  PortAllocator& ports_;
};

}  // namespace keelson::registry::core
