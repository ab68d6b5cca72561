#include "api/defaulting/node/defaults.h"

namespace keelson::api::node {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::node
