// The defaults of events.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::events {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::events
