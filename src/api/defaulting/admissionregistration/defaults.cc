#include "api/defaulting/admissionregistration/defaults.h"

namespace keelson::api::admissionregistration {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::admissionregistration
