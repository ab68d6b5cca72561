// AuthenticationTrust: keeps the ConfigMap extension-apiserver-authentication in kube-system, from which
// aggregated API servers learn whose certificates to believe. Several servers add to what the others wrote.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/task.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

struct TrustInfo {
  std::string client_ca_pem;               // of clients; empty: none
  std::string proxy_ca_pem;                // of front proxies; empty: none, and the rest does not count
  std::vector<std::string> allowed_names;  // of front proxies
  std::vector<std::string> username_headers, uid_headers, group_headers, extra_headers_prefixes;
  // The certificates of two bundles, each once, without expired ones.
  std::function<std::string(std::string_view, std::string_view)> combine;
};

// Borrows all.
class AuthenticationTrust final : public Controller {
 public:
  AuthenticationTrust(const client::Client& client, TrustInfo info, base::Executor& loop);

  void Start() override;
  void Stop() override;
  // Adds other authorities to what is written there. Those that were there stay until they expire: another
  // server may believe them still.
  void SetAuthorities(std::string client_ca_pem, std::string proxy_ca_pem);
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "cluster_authentication_trust_controller");
  }

 private:
  base::Task<bool> Sync(std::string key);
  // False: `doc` says all that it should.
  bool Put(api::Doc& doc) const;

  const client::Client& client_;
  TrustInfo info_;
  client::Informer config_maps_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
