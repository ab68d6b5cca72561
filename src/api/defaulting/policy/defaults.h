// The defaults of policy that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::policy {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::policy
