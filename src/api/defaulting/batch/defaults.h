// The defaults of batch that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::batch {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::batch
