// Backends: how the servers behind APIServices are reached.
#pragma once

#include <memory>
#include <string>

#include "aggregator/api_service.h"
#include "base/result.h"
#include "base/task.h"
#include "net/http/client.h"

namespace keelson::aggregator {

// Threads: any event loop.
class Backends {
 public:
  using ClientPtr = std::shared_ptr<net::http::Client>;

  virtual ~Backends() = default;
  // Trusts whom the APIService trusts and proves that it is this server. An error: its authorities cannot be
  // read.
  virtual base::Result<ClientPtr, std::string> ClientFor(const ApiService& service) = 0;
  // Where to connect to now, with the name that the certificate must be for. Errors are in upstream's words.
  virtual base::Task<base::Result<net::http::Destination, std::string>> Locate(ServiceReference service) = 0;
};

}  // namespace keelson::aggregator
