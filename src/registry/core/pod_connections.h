// What of a pod its kubelet serves: log, exec, attach, portforward.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> ServePodLog(const Environment& environment);
std::unique_ptr<Serving> ServePodExec(const Environment& environment);
std::unique_ptr<Serving> ServePodAttach(const Environment& environment);
std::unique_ptr<Serving> ServePodPortForward(const Environment& environment);

}  // namespace keelson::registry::core
