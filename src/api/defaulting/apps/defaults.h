// The defaults of apps that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::apps {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::apps
