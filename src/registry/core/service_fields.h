// The fields of services that depend on each other: what clients leave out, and what was
// allocated for them.
#pragma once

#include <cstdint>
#include <set>

#include "api/generated/core_v1.h"
#include "registry/rest/types.h"

namespace keelson::registry::core {

// The IP families a cluster gives addresses of.
struct IpFamilies {
  bool primary_v4 = true;
  bool dual = false;

  bool Has(std::string_view family) const { return dual || family == Primary(); }
  std::string_view Primary() const { return primary_v4 ? "IPv4" : "IPv6"; }
};

// What a service of this type has at all.
bool NeedsClusterIp(api::core_v1::ServiceSpecView spec);
bool MayHaveNodePorts(api::core_v1::ServiceSpecView spec);
std::set<int32_t> NodePortsOf(api::core_v1::ServiceSpecView spec);

// "IPv6" or "IPv4"; of text that is no address, the latter.
std::string_view FamilyOf(std::string_view ip);

// clusterIP is the first of clusterIPs. An older client knows only the former: what it
// means for the latter is worked out here, and whatever contradicts fails validation.
// `was` is null on creation.
void SyncClusterIps(api::core_v1::ServiceSpecEditor now, api::core_v1::ServiceSpecView was);

// A client that sends again what it sent first has not seen what was allocated to it.
void KeepAllocated(api::core_v1::ServiceSpecEditor now, api::core_v1::ServiceSpecView was);

// What was stored before there were families of addresses.
void FillMissingFamilies(api::core_v1::ServiceSpecEditor spec, const IpFamilies& families);

// ipFamilyPolicy and ipFamilies as the client means them, in this cluster. `was` is null
// on creation. An error is the answer to the client.
rest::Result<void> InitIpFamilies(api::core_v1::ServiceEditor now, api::core_v1::ServiceView was,
                                  const IpFamilies& families);

// An update that leaves a service that prefers two families as it is: it is neither given
// a second address nor loses one because the cluster has changed.
bool KeepsPreferredFamilies(api::core_v1::ServiceSpecView now, api::core_v1::ServiceSpecView was);

}  // namespace keelson::registry::core
