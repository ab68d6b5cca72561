// The defaults of autoscaling that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::autoscaling {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::autoscaling
