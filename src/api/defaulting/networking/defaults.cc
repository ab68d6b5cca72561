#include "api/defaulting/networking/defaults.h"

namespace keelson::api::networking {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::networking
