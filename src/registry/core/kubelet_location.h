// Where the kubelet of a node listens, and how requests of a pod find it.
#pragma once

#include <string>
#include <string_view>

#include "api/generated/core_v1.h"
#include "net/http/client.h"
#include "registry/group.h"

namespace keelson::registry::core {

// The object `name` of `resource` as a document; 404 names `asked`, as upstream's does, which
// is not always the same.
base::Task<rest::Result<api::Doc>> GetObject(const Stores& stores, api::GroupResource resource,
                                             const api::TypeDesc& type, std::string ns, std::string name,
                                             api::GroupResource asked);

struct KubeletLocation {
  std::string host;
  uint16_t port = 0;
};

// 404 names `asked`; 500 when the node has no address of the types that are preferred.
base::Task<rest::Result<KubeletLocation>> LocateKubelet(const Dependencies& dependencies, std::string node,
                                                        api::GroupResource asked);

// The container that is meant: `wanted`, or the only one. 400 otherwise.
rest::Result<std::string> ChooseContainer(api::core_v1::PodView pod, std::string_view wanted);

// An error that upstream has no API error for: 500 with nothing but the text.
api::Status PlainFailure(std::string message);

// "host:port", with brackets where they are needed.
std::string HostPort(std::string_view host, uint16_t port);

}  // namespace keelson::registry::core
