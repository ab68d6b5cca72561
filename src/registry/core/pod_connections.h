// What of a pod its kubelet serves: log, exec, attach, portforward.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> ServePodLog(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> ServePodExec(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> ServePodAttach(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> ServePodPortForward(ServingOptions options, const Dependencies& dependencies);

}  // namespace keelson::registry::core
