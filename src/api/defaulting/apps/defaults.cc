#include "api/defaulting/apps/defaults.h"

namespace keelson::api::apps {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::apps
