// CSI drivers, what nodes have of them, and the capacity they report.
#pragma once

#include <string>
#include <vector>

#include "api/generated/storage_v1.h"
#include "api/validation/field.h"

namespace keelson::api::storage_api {

field::ErrorList ValidateCsiDriver(storage_v1::CSIDriverView driver);
field::ErrorList ValidateCsiDriverUpdate(storage_v1::CSIDriverView now, storage_v1::CSIDriverView was);

field::ErrorList ValidateCsiNode(storage_v1::CSINodeView node);
field::ErrorList ValidateCsiNodeUpdate(storage_v1::CSINodeView now, storage_v1::CSINodeView was);

field::ErrorList ValidateCsiStorageCapacity(storage_v1::CSIStorageCapacityView capacity);
field::ErrorList ValidateCsiStorageCapacityUpdate(storage_v1::CSIStorageCapacityView now,
                                                  storage_v1::CSIStorageCapacityView was);
// Labels of nodes that should no longer be used.
std::vector<std::string> WarningsForCsiStorageCapacity(storage_v1::CSIStorageCapacityView capacity);

}  // namespace keelson::api::storage_api
