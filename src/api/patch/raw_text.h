// Embedded objects that upstream's patches write anew.
#pragma once

#include "api/types/doc.h"

namespace keelson::api {

// Rewrites each embedded object as patches that take an object apart leave it: without blanks, its
// members in order. Upstream compares the bytes where such an object may not change. What owns
// fields is not touched, nor a document that says the same as `was`. Costs a lookup for types that embed
// none.
void RewriteEmbedded(Doc& doc, const Doc& was);

}  // namespace keelson::api
