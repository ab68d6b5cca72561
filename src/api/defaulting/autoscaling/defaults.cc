#include "api/defaulting/autoscaling/defaults.h"

namespace keelson::api::autoscaling {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::autoscaling
