// Fields whose type has a name of its own in Go, and is a plain string, list or map here.
#pragma once

#include <string_view>

namespace keelson::api {

// Go's type of a field ("core_v1.PodSpec", "dnsPolicy": v1.DNSPolicy), without a pointer;
// empty: as GoTypeName says.
std::string_view GoScalarType(std::string_view owner, std::string_view field);

}  // namespace keelson::api
