#include "api/defaulting/events/defaults.h"

namespace keelson::api::events {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::events
