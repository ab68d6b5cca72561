#include "api/defaulting/policy/defaults.h"

namespace keelson::api::policy {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::policy
