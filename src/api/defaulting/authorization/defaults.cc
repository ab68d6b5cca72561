#include "api/defaulting/authorization/defaults.h"

namespace keelson::api::authorization {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::authorization
