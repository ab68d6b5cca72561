#include "api/defaulting/batch/defaults.h"

namespace keelson::api::batch {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::batch
