#include "api/defaulting/apiextensions/defaults.h"

namespace keelson::api::apiextensions {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::apiextensions
