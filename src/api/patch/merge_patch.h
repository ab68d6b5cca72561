// JSON merge patch (RFC 7386).
#pragma once

#include "api/types/doc.h"

namespace keelson::api {

// `target` with `patch` merged into it: members of an object one by one, null removes,
// anything else replaces. Both are values of LazyJson and are used up.
Value MergePatch(Value target, Value patch, Arena& arena);

}  // namespace keelson::api
