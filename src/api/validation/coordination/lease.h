// Leases.
#pragma once

#include "api/generated/coordination_v1.h"
#include "api/validation/field.h"

namespace keelson::api::coordination {

constexpr std::string_view kOldestEmulationVersion = "OldestEmulationVersion";

// How the holder is chosen: a name of ours, or somebody's own with a domain.
field::ErrorList ValidateLeaseStrategy(std::string_view strategy, const field::Path& path);
field::ErrorList ValidateLease(coordination_v1::LeaseView lease);

}  // namespace keelson::api::coordination
