// Where pods may run: affinity, tolerations, topology spread, node selectors.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckAffinity(core_v1::AffinityView affinity, const Path& path, ErrorList& errors);
void CheckNodeSelector(core_v1::NodeSelectorView selector, const Path& path, ErrorList& errors);
void CheckTolerations(ListView<core_v1::TolerationView> tolerations, const Path& path, ErrorList& errors);
void CheckTaints(ListView<core_v1::TaintView> taints, const Path& path, ErrorList& errors);
void CheckTopologySpread(ListView<core_v1::TopologySpreadConstraintView> constraints, const Path& path,
                         ErrorList& errors);

}  // namespace keelson::api::core
