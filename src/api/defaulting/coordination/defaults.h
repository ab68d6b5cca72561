// The defaults of coordination.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::coordination {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::coordination
