#include "api/defaulting/rbac/defaults.h"

namespace keelson::api::rbac {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::rbac
