// Objects that every cluster has besides its namespaces: the classes of the most important
// pods, and how requests share the server.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "registry/store.h"

namespace keelson::app {

// Creates those of the system's priority classes that are absent.
base::Task<base::Result<void, std::string>> EnsurePriorityClasses(registry::Store& classes);

// Creates what is absent of the flow schemas and priority levels that a server comes with;
// brings those up to date that nobody has changed, and the mandatory ones in any case; and
// removes what older servers came with.
base::Task<base::Result<void, std::string>> EnsureFlowControl(registry::Store& levels,
                                                              registry::Store& schemas);

}  // namespace keelson::app
