// The suite of every backend, on a fresh etcd for each of its tests.
#include <cstdio>
#include <map>

#include "storage/etcd3/etcd_backend.h"
#include "storage/etcd3/testing/etcd_process.h"
#include "storage/testing/backend_contract.h"
#include "storage/testing/forwarding_backend.h"

namespace keelson::storage {
namespace {

// The suite tells the time by its own clock, etcd by the world's. So that leases end when the suite
// says, they are granted for long and revoked when their time has come by the suite's clock; what
// that does to their keys is what their end does.
class EtcdByClock final : public ForwardingBackend {
 public:
  explicit EtcdByClock(const base::Clock& clock)
      : clock_(clock), etcd_({"--max-txn-ops=2000"}), backend_(Open(etcd_)) {}

  base::Task<Result<TxnResult>> Commit(Txn txn) override {
    EndLeases();
    return backend_->Commit(std::move(txn));
  }
  base::Task<Result<LeaseId>> GrantLease(std::chrono::seconds ttl) override {
    auto lease = co_await backend_->GrantLease(std::chrono::hours(1));
    if (lease) leases_.emplace(clock_.Now() + ttl, *lease);
    co_return lease;
  }

 private:
  static std::unique_ptr<EtcdBackend> Open(const etcd3::EtcdProcess& etcd) {
    auto backend = EtcdBackend::Open({.endpoints = {etcd.endpoint()}});
    if (!backend) throw std::runtime_error(backend.error().detail);
    return std::move(*backend);
  }

  Backend& inner() const override { return *backend_; }

  void EndLeases() {
    while (!leases_.empty() && leases_.begin()->first <= clock_.Now()) {
      char id[32];
      std::snprintf(id, sizeof(id), "%lx", static_cast<unsigned long>(leases_.begin()->second));
      etcd_.Ctl("lease revoke " + std::string(id));
      leases_.erase(leases_.begin());
    }
  }

  const base::Clock& clock_;
  etcd3::EtcdProcess etcd_;
  std::multimap<base::Clock::WallTime, LeaseId> leases_;
  std::unique_ptr<EtcdBackend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Etcd, BackendContract, testing::Values(BackendFactory{[](const base::Clock& clock) {
                           return std::make_unique<EtcdByClock>(clock);
                         }}));

}  // namespace
}  // namespace keelson::storage
