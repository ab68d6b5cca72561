// Labels that several parts of the server write or read.
#pragma once

#include <string_view>

namespace keelson::api {

// An EndpointSlice names its Service by it.
inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";

}  // namespace keelson::api
