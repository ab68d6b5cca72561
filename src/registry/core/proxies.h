// The proxies: requests that are passed on to a node, a pod or a service.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

std::unique_ptr<Serving> ServeNodeProxy(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> ServePodProxy(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> ServeServiceProxy(ServingOptions options, const Dependencies& dependencies);

}  // namespace keelson::registry::core
