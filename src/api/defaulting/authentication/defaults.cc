#include "api/defaulting/authentication/defaults.h"

namespace keelson::api::authentication {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::authentication
