// The ports of nodes that a service has: which it takes, keeps and gives up.
#pragma once

#include <vector>

#include "api/generated/core_v1.h"
#include "registry/core/port_bitmap.h"
#include "registry/rest/types.h"

namespace keelson::registry::core {

// What a write means for node ports.
struct PortPlan {
  std::vector<int32_t> node_ports;  // one per port of the service, 0: none
  int32_t health_check = 0;         // 0: as it is
  std::vector<int> taken;           // of the bitmap, for this write
  std::vector<int> given_up;        // to be released once the service is written
};

// Takes what `now` needs from `ports`, which only this call sees. `was` is null on creation.
// In a dry run, where `ports` is what is taken and nothing more, numbers are made up. An
// error is the answer to the client.
rest::Result<PortPlan> PlanPorts(api::core_v1::ServiceView now, api::core_v1::ServiceView was,
                                 PortBitmap& ports, bool dry_run);
void ApplyPlan(const PortPlan& plan, api::core_v1::ServiceEditor service);

// Whether a write could change what ports are taken at all.
bool ConcernsPorts(api::core_v1::ServiceView now, api::core_v1::ServiceView was);

// Every port of nodes that a service has, each once.
std::vector<int> NodePortsHeldBy(api::core_v1::ServiceView service);

}  // namespace keelson::registry::core
