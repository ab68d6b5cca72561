// The conditions of a namespace that is to go: what remains in it, and why.
#pragma once

#include <cstdint>

#include "api/generated/core_v1.h"
#include "controllers/namespace_content.h"

namespace keelson::controllers {

// Sets the conditions that tell of `remains`; `now` is in Unix seconds. False: they said so
// already.
bool SetContentConditions(api::core_v1::NamespaceStatusEditor status, const NamespaceRemains& remains,
                          int64_t now);

}  // namespace keelson::controllers
