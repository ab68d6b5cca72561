#include "api/defaulting/storage/defaults.h"

namespace keelson::api::storage_api {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::storage_api
