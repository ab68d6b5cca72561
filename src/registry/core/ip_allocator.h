// IpAllocator: the cluster IPs of services. What ranges there are is said by ServiceCIDR
// objects, what is taken by IPAddress objects, one each: to create one is to take the
// address. So servers that share a store never give out an address twice, and a crash leaves
// at most an IPAddress without a service, which is found and removed later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/validation/ip.h"
#include "auth/user.h"
#include "base/result.h"
#include "base/task.h"
#include "registry/group.h"

namespace keelson::registry::core {

// The service an address is for.
struct ServiceName {
  std::string ns, name;
};

// An IPAddress object that says: `ip` is taken by `service`.
api::Doc MakeIpAddress(const api::IpAddress& ip, const ServiceName& service);

inline constexpr std::string_view kIpFamilyLabel = "ipaddress.kubernetes.io/ip-family";
inline constexpr std::string_view kIpManagedByLabel = "ipaddress.kubernetes.io/managed-by";
inline constexpr std::string_view kIpManagedBy = "ipallocator.k8s.io";

// Threads: any loop. `stores` and `user` outlive it; `user` is who creates IPAddresses.
class IpAllocator {
 public:
  IpAllocator(const Stores& stores, const auth::User& user) : stores_(stores), user_(user) {}

  struct Error {
    std::string message;
    bool full = false;  // no address is left
    // What was not answered, and may be tried again: it says nothing of the address.
    std::optional<api::Status> unanswered = std::nullopt;
  };
  template <class T>
  using Result = base::Result<T, Error>;

  // Any free address of the family.
  base::Task<Result<api::IpAddress>> TakeNext(bool v4, ServiceName service, bool dry_run);
  base::Task<Result<void>> Take(api::IpAddress ip, ServiceName service, bool dry_run);
  // Giving back what was not taken is fine.
  base::Task<void> Release(api::IpAddress ip);

  // Whether some ServiceCIDR has the address, ready or not.
  base::Task<bool> InSomeRange(api::IpAddress ip);

 private:
  struct Range {
    api::Cidr cidr;
    bool ready = false;  // the ServiceCIDR is not being deleted and says nothing to the contrary
  };
  base::Task<Result<std::vector<Range>>> Ranges(bool v4);
  base::Task<Result<void>> Create(api::IpAddress ip, ServiceName service);
  base::Task<Result<std::optional<api::IpAddress>>> TakeFrom(const api::Cidr& cidr,
                                                             const ServiceName& service);

  const Stores& stores_;
  const auth::User& user_;
};

}  // namespace keelson::registry::core
