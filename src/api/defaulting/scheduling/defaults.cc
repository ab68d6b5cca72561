#include "api/defaulting/scheduling/defaults.h"

namespace keelson::api::scheduling {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::scheduling
