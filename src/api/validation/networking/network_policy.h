// Network policies.
#pragma once

#include <string>
#include <vector>

#include "api/generated/networking_v1.h"
#include "api/validation/field.h"

namespace keelson::api::networking {

field::ErrorList ValidateNetworkPolicy(networking_v1::NetworkPolicyView policy);
field::ErrorList ValidateNetworkPolicyUpdate(networking_v1::NetworkPolicyView now,
                                             networking_v1::NetworkPolicyView was);
// CIDR blocks that are not in their usual notation.
std::vector<std::string> WarningsForNetworkPolicy(networking_v1::NetworkPolicyView policy);

}  // namespace keelson::api::networking
