// JSON merge patch (RFC 7386).
#pragma once

#include "api/types/doc.h"

namespace keelson::endpoints {

// `target` with `patch` merged into it: members of an object one by one, null removes,
// anything else replaces. Both are trees of kAny values in `arena`; `target` is changed.
api::Value MergePatch(api::Value target, const api::Value& patch, api::Arena& arena);

}  // namespace keelson::endpoints
