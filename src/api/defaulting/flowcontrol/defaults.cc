#include "api/defaulting/flowcontrol/defaults.h"

namespace keelson::api::flowcontrol {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::flowcontrol
