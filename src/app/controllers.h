// Controllers: what the server does by itself, as far as --controllers asks for it. Of
// several servers on one etcd one does it; what upstream's API server always does, each does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "base/executor.h"
#include "controllers/authentication_trust.h"
#include "controllers/remote_resources.h"
#include "extensions/crd/custom_resources.h"
#include "registry/client/store_catalog.h"

namespace keelson::app {

// Threads: made anywhere; everything runs on `loop`. Borrows all; outlives the loop's running.
class Controllers {
 public:
  // `root_ca_pem` is published in every namespace. `shared`: other servers may use the same
  // store, under another `identity`.
  struct Options {
    const registry::StoreCatalog& stores;
    extensions::CustomResources& custom;
    std::vector<const api::ResourceDesc*> built_in;  // what this server serves by itself
    base::Executor& loop;
    controllers::TrustInfo trust;  // what aggregated API servers are told
    // The aggregated resources, for the namespace controller and for the garbage collector.
    const controllers::RemoteResources& for_namespaces;
    const controllers::RemoteResources& for_collection;
    std::string root_ca_pem, identity;
    base::Metrics& metrics;
    bool shared = false;
  };
  Controllers(const Config& config, Options options);
  ~Controllers();

  void Start();
  // The server believes other authorities, and is checked by another one, than when this was made. On `loop`.
  void SetTrust(const std::string& client_ca_pem, const std::string& proxy_ca_pem,
                const std::string& root_ca_pem);
  // Whether the APIService of everything that is built in has been right once. Any thread.
  bool RegisteredAll() const;
  // Leaves the work to others; they need not wait. What is under way is finished.
  base::Task<void> Stop();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace keelson::app
