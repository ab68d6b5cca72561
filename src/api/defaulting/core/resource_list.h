// ResourceList: quantities by resource name.
#pragma once

#include "api/types/view.h"

namespace keelson::api::core {

// Rounds the quantities in every ResourceList that is a field of `node` up to milli, the
// finest that is kept. `node` may be null.
void RoundUpResourceLists(StructNode* node, Arena& arena);
// Gives `to` what `from` has and `to` does not.
void CopyMissing(MapView from, MapNode& to, Arena& arena);

}  // namespace keelson::api::core
