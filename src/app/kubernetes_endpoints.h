// The endpoints of the service "kubernetes": the servers of the API, in both forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "registry/store.h"

namespace keelson::app {

// The name of the Service by which pods reach the API servers, and of its Endpoints and EndpointSlices.
constexpr std::string_view kKubernetes = "kubernetes";

// `addresses` are those of all servers, in order. Without any, none are left.
base::Task<base::Result<void, std::string>> EnsureKubernetesEndpoints(registry::Store& endpoints,
                                                                      std::vector<std::string> addresses,
                                                                      uint16_t port);
base::Task<base::Result<void, std::string>> EnsureKubernetesSlice(registry::Store& slices,
                                                                  std::vector<std::string> addresses,
                                                                  uint16_t port);

}  // namespace keelson::app
