#include "api/defaulting/discovery/defaults.h"

namespace keelson::api::discovery {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::discovery
