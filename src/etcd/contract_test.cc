// The suite of every backend, on a fresh store that is served as etcd and reached by the client of etcd.
#include <stdexcept>

#include "etcd/server.h"
#include "storage/etcd3/etcd_backend.h"
#include "storage/memory/memory_backend.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::storage {
namespace {

class ServedAsEtcd final : public ForwardingBackend {
 public:
  explicit ServedAsEtcd(const base::Clock& clock) {
    etcd::ServerOptions options;
    options.port = 0;
    options.store = {.max_txn_ops = 2000, .clock = &clock};
    options.service.max_request_bytes = size_t{64} << 20;
    auto server = etcd::Server::Start(OpenMemoryBackend(), std::move(options));
    if (!server) throw std::runtime_error(server.error());
    server_ = std::move(*server);
    auto backend = EtcdBackend::Open({.endpoints = {"http://127.0.0.1:" + std::to_string(server_->port())}});
    if (!backend) throw std::runtime_error(backend.error().detail);
    backend_ = std::move(*backend);
  }

 private:
  Backend& inner() const override { return *backend_; }

  std::unique_ptr<etcd::Server> server_;
  std::unique_ptr<EtcdBackend> backend_;  // goes first
};

INSTANTIATE_TEST_SUITE_P(ServedAsEtcd, BackendContract,
                         testing::Values(BackendFactory{[](const base::Clock& clock) {
                           return std::make_unique<ServedAsEtcd>(clock);
                         }}));

}  // namespace
}  // namespace keelson::storage
