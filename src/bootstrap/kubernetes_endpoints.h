// The endpoints of the service "kubernetes": the servers of the API, in both forms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// The name of the Service by which pods reach the API servers, and of its Endpoints and EndpointSlices.
constexpr std::string_view kKubernetes = "kubernetes";

// The addresses of all servers that live, in order.
using ServerAddresses = std::function<base::Task<base::Result<std::vector<std::string>, std::string>>()>;

// Makes the endpoints what `addresses` gives; without any, none are left. Several servers do this at once:
// addresses are asked for after the endpoints were read, and again where another has changed them since, so
// that the last who writes has seen what the others knew.
base::Task<Done> EnsureKubernetesEndpoints(const client::Client& client, ServerAddresses addresses,
                                           uint16_t port);
base::Task<Done> EnsureKubernetesSlice(const client::Client& client, ServerAddresses addresses,
                                       uint16_t port);

}  // namespace keelson::bootstrap
