// The namespaces every cluster has.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "registry/store.h"

namespace keelson::app {

// Creates those of default, kube-system, kube-public and kube-node-lease that are absent.
base::Task<base::Result<void, std::string>> EnsureSystemNamespaces(registry::Store& namespaces);

}  // namespace keelson::app
