#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateResourceQuota(core_v1::ResourceQuotaView quota);
field::ErrorList ValidateResourceQuotaUpdate(core_v1::ResourceQuotaView now, core_v1::ResourceQuotaView was);
// The status subresource.
field::ErrorList ValidateResourceQuotaStatus(core_v1::ResourceQuotaStatusView status,
                                             const field::Path& path);

}  // namespace keelson::api::core
