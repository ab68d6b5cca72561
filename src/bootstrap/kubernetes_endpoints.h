// The endpoints of the service "kubernetes": the servers of the API, in both forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// The name of the Service by which pods reach the API servers, and of its Endpoints and EndpointSlices.
constexpr std::string_view kKubernetes = "kubernetes";

// `addresses` are those of all servers, in order. Without any, none are left.
base::Task<Done> EnsureKubernetesEndpoints(const client::Client& client, std::vector<std::string> addresses,
                                           uint16_t port);
base::Task<Done> EnsureKubernetesSlice(const client::Client& client, std::vector<std::string> addresses,
                                       uint16_t port);

}  // namespace keelson::bootstrap
