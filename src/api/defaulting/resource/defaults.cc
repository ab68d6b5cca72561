#include "api/defaulting/resource/defaults.h"

namespace keelson::api::resource {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::resource
