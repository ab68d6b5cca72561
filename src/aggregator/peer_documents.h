// Reads the discovery documents of peers, and merges them with this server's into one document for the whole
// cluster: servers of different versions, or with different versions switched on, serve different resources.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/slice.h"

namespace keelson::aggregator {

struct ServedGroup {
  struct Resource {
    std::string name;
    std::string json;  // APIResourceDiscovery
    bool operator==(const Resource&) const = default;
  };
  struct Version {
    std::string name, freshness;
    std::vector<Resource> resources;
    bool operator==(const Version&) const = default;
  };
  std::string name;
  std::vector<Version> versions;
  bool operator==(const ServedGroup&) const = default;
};
// In the order of the document.
using ServedGroups = std::vector<ServedGroup>;

// From an APIGroupDiscoveryList of apidiscovery.k8s.io.
base::Result<ServedGroups, std::string> ReadServedGroups(std::string_view json);

// The APIGroupDiscoveryList of all servers together; nullopt: it is the same as that of the server at `own`.
// Where servers disagree about a resource, it has the verbs and subresources of all of them. `servers` are in
// the order of their names, so that every server of the cluster tells the same.
std::optional<base::Slice> MergeServedGroups(const std::vector<const ServedGroups*>& servers, size_t own);

// All names of the lists, so that names are in the order of each list; by name where no list says which is
// first, or where lists contradict each other.
std::vector<std::string> MergeOrders(const std::vector<std::vector<std::string>>& lists);

}  // namespace keelson::aggregator
