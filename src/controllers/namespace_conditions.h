// The conditions of a namespace that is to go: what remains in it, and why.
#pragma once

#include <cstdint>

#include "api/generated/core_v1.h"
#include "client/namespaces.h"

namespace keelson::controllers {

// Sets the conditions that tell of `content`; `now` is in Unix seconds. False: they said so
// already.
bool SetContentConditions(api::core_v1::NamespaceStatusEditor status, const client::NamespaceContent& content,
                          int64_t now);

}  // namespace keelson::controllers
