// ResolveService: where what a service stands for can be connected to.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::app {

struct ServicePort {
  std::string ns, name;
  uint16_t port = 443;        // of the service
  bool to_endpoints = false;  // to one that is ready, rather than to the cluster address
};
struct ServiceAddress {
  std::string host;  // an address, or the name that a service of type ExternalName stands for
  uint16_t port = 0;
};

// Errors are in upstream's words. Borrows `objects`.
base::Task<base::Result<ServiceAddress, std::string>> ResolveService(const client::Client& objects,
                                                                     ServicePort service);

}  // namespace keelson::app
