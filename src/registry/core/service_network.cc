#include "registry/core/service_network.h"

#include "api/generated/core_v1.h"
#include "registry/server_user.h"

namespace keelson::registry::core {
namespace {

// What is stored below keys of its own, outside of any resource that is served.
const api::ResourceDesc kAllocations{.version = "v1",
                                     .plural = "servicenodeportallocations",
                                     .kind = "RangeAllocation",
                                     .namespaced = false,
                                     .storage_prefix = "/ranges",
                                     .type = &api::core_v1::kRangeAllocationType};

base::Result<std::vector<api::Cidr>, std::string> ParseRanges(std::string_view text) {
  std::vector<api::Cidr> ranges;
  for (;;) {
    const std::string_view range = text.substr(0, text.find(','));
    const auto cidr = api::ParseCidr(range);
    if (!cidr) return base::Err("invalid CIDR address: " + std::string(range));
    ranges.push_back(*cidr);
    if (range.size() == text.size()) break;
    text.remove_prefix(range.size() + 1);
  }
  if (ranges.size() > 2 || (ranges.size() == 2 && ranges[0].is_v4() == ranges[1].is_v4()))
    return base::Err(std::string("--service-cluster-ip-range takes at most one range of each IP family"));
  return ranges;
}

IpFamilies FamiliesOf(const std::vector<api::Cidr>& ranges) {
  return {.primary_v4 = ranges[0].is_v4(), .dual = ranges.size() == 2};
}

}  // namespace

ServiceNetwork::ServiceNetwork(std::vector<api::Cidr> ranges, PortRange ports,
                               std::unique_ptr<storage::Cacher> allocations)
    : ranges_(std::move(ranges)),
      allocations_(std::move(allocations)),
      ports_(*allocations_, ports),
      allocator_(stores_, ServerUser(), FamiliesOf(ranges_), ports_),
      repair_(stores_, ServerUser(), ports_) {}

base::Result<std::unique_ptr<ServiceNetwork>, std::string> ServiceNetwork::Open(storage::Backend& backend,
                                                                                const Options& options) {
  auto ranges = TRY(ParseRanges(options.cluster_ip_range));
  const auto ports = ParsePortRange(options.node_port_range);
  if (!ports) return base::Err("not a range of ports: " + options.node_port_range);
  auto allocations =
      storage::Cacher::Start(kAllocations, backend, {.registry_prefix = options.registry_prefix});
  if (!allocations) return base::Err("cannot load node ports: " + allocations.error().detail);
  return std::unique_ptr<ServiceNetwork>(
      new ServiceNetwork(std::move(ranges), *ports, *std::move(allocations)));
}

}  // namespace keelson::registry::core
