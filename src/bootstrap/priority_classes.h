// The classes of the most important pods.
#pragma once

#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// Creates those of the system's priority classes that are absent.
base::Task<Done> EnsurePriorityClasses(const client::Client& client);

}  // namespace keelson::bootstrap
