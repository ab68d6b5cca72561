// EtcdBackend: Backend over an etcd v3 cluster, which other servers may share, kube-apiserver
// among them. One thread talks to etcd and publishes what it says (docs/design/0052).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "net/tls/client_context.h"
#include "storage/backend.h"

namespace keelson::storage {

struct EtcdOptions {
  std::vector<std::string> endpoints;            // "https://10.0.0.1:2379"; tried in turn
  std::string ca_pem;                            // for https; empty: the system's authorities
  std::string certificate_pem, private_key_pem;  // ours, both or neither
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(60);  // for the first answer
  std::chrono::nanoseconds probe_timeout = std::chrono::seconds(2);   // for each answer that Health goes by
  bool must_answer = true;  // false: one that is away is used once it is there
};

// Commit: a transaction whose outcome is unknown because the connection was lost is sent again
// only if compares guard all its writes, so that it cannot happen twice; and what then was written
// is looked at. If that does not tell, the error is kUnreachable and says so.
class EtcdBackend : public Backend {
 public:
  // Connects, and blocks until etcd has told its revision, or need not have. Errors are ready to be shown.
  static Result<std::unique_ptr<EtcdBackend>> Open(const EtcdOptions& options);

  // One step of the compaction that all servers on a cluster share: to be called every few
  // minutes, which is how much history remains. Of all servers one compacts at each interval, to
  // where the store was an interval ago; who is told by a key that all of them use, as kube-apiserver does.
  // One call at a time.
  virtual base::Task<Result<void>> CompactInTurn() = 0;

  // How large the database of the member is that this is connected to, on its disk.
  virtual base::Task<Result<int64_t>> DatabaseBytes() = 0;

  // Connections from now on are made with `tls`; those that are open stay. An error: nothing changes.
  virtual base::Result<void, std::string> ReloadTls(const net::tls::ClientTlsConfig& tls) = 0;
};

}  // namespace keelson::storage
