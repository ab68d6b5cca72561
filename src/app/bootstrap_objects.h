// The objects that every cluster has from its first start on, besides its namespaces: the
// default roles and bindings, and an APIService for each group and version that is served.
#pragma once

#include <string>

#include "app/resources.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::app {

// Makes those that are missing, and gives roles and bindings what they lack. All at once,
// so that they share a few commits. `resources` outlives the task.
base::Task<base::Result<void, std::string>> EnsureBootstrapObjects(const Resources& resources);

}  // namespace keelson::app
