// Leases.
#pragma once

#include "api/generated/coordination_v1.h"
#include "api/validation/field.h"

namespace keelson::api::coordination {

field::ErrorList ValidateLease(coordination_v1::LeaseView lease);

}  // namespace keelson::api::coordination
