// Who would hold a lease, in coordinated leader election.
#pragma once

#include "api/generated/coordination_v1beta1.h"
#include "api/validation/field.h"

namespace keelson::api::coordination {

// `was` is null on creation.
field::ErrorList ValidateLeaseCandidate(coordination_v1beta1::LeaseCandidateView now,
                                        coordination_v1beta1::LeaseCandidateView was);

}  // namespace keelson::api::coordination
