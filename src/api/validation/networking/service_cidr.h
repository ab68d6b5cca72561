// Service CIDRs and the addresses taken from them.
#pragma once

#include <string_view>

#include "api/generated/networking_v1.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api::networking {

field::ErrorList ValidateServiceCidr(networking_v1::ServiceCIDRView cidr);
field::ErrorList ValidateServiceCidrUpdate(networking_v1::ServiceCIDRView now,
                                           networking_v1::ServiceCIDRView was);

field::ErrorList ValidateIpAddress(networking_v1::IPAddressView address);
field::ErrorList ValidateIpAddressUpdate(networking_v1::IPAddressView now, networking_v1::IPAddressView was);
// An IPAddress is named after the address it stands for, in canonical form.
Messages NameIsIpAddress(std::string_view name);

}  // namespace keelson::api::networking
