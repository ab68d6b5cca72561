#include "api/defaulting/certificates/defaults.h"

namespace keelson::api::certificates {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::certificates
