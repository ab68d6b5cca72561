#include "api/defaulting/apiregistration/defaults.h"

namespace keelson::api::apiregistration {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::apiregistration
