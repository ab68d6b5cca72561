// Server: a Backend served as an etcd of one member, without TLS.
//
// Threads: Start and the destructor are called from outside its loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "etcd/service.h"
#include "etcd/store.h"
#include "net/server.h"
#include "storage/backend.h"

namespace keelson::etcd {

struct ServerOptions {
  std::string bind_address = "127.0.0.1";
  uint16_t port = 2379;  // 0: any free one
  ServiceOptions service;
  StoreOptions store;
};

class Server {
 public:
  // Serves when it returns. Nobody else may write to the backend.
  static base::Result<std::unique_ptr<Server>, std::string> Start(std::unique_ptr<storage::Backend> backend,
                                                                  ServerOptions options);
  ~Server();  // tells clients, and lets what is under way finish for a moment

  uint16_t port() const { return net_->port(); }

 private:
  explicit Server(ServiceOptions options) : service_(std::move(options)) {}

  base::Metrics metrics_;
  Service service_;
  std::unique_ptr<net::Server> net_;  // has the loop that the others run on: goes after them
  std::unique_ptr<storage::Backend> backend_;
  std::unique_ptr<Store> store_;
};

}  // namespace keelson::etcd
