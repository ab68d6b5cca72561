// Discovery documents of backends (APIGroupDiscoveryList, APIResourceList), checked and rewritten as the list
// of resources that this server puts into its own documents.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/slice.h"

namespace keelson::aggregator {

// By group and version: the JSON of a list of APIResourceDiscovery of apidiscovery.k8s.io/v2.
using Discovered = std::map<std::pair<std::string, std::string>, base::Slice>;

// From an APIGroupDiscoveryList of apidiscovery.k8s.io, v2 or v2beta1.
base::Result<Discovered, std::string> ReadGroupDiscoveryList(std::string_view json);
// From an APIResourceList: what one version serves.
base::Result<base::Slice, std::string> ReadResourceList(std::string_view json);

// Where an index of OpenAPI v3 says that the document of `key` ("apis/GROUP/VERSION") is, relative to its
// server; empty: nowhere, or not below /openapi/v3/.
std::string ReadOpenApiUrl(std::string_view json, std::string_view key);

// Whether a content type is that of an APIGroupDiscoveryList which can be read.
bool IsGroupDiscoveryList(std::string_view content_type);

}  // namespace keelson::aggregator
