// The proxies: requests that are passed on to a node, a pod or a service.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> ServeNodeProxy(const Environment& environment);
std::unique_ptr<Serving> ServePodProxy(const Environment& environment);
std::unique_ptr<Serving> ServeServiceProxy(const Environment& environment);

}  // namespace keelson::registry::core
