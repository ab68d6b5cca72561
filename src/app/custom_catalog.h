// Puts the stores of custom resources into the catalog, where those of built-in resources are: the server's
// own clients then find both alike.
#pragma once

#include "extensions/crd/custom_resources.h"
#include "registry/client/store_catalog.h"

namespace keelson::app {

// From now on. `catalog` outlives `custom`.
void FollowInto(extensions::CustomResources& custom, registry::StoreCatalog& catalog);

}  // namespace keelson::app
