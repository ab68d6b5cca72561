#include "api/defaulting/coordination/defaults.h"

namespace keelson::api::coordination {

std::span<const DefaultsEntry> Defaults() { return {}; }

}  // namespace keelson::api::coordination
