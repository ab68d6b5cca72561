// RootCaPublisher: every namespace has the configmap "kube-root-ca.crt", by which pods know
// the server's certificate.
#pragma once

#include <string>

#include "client/collection.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all but the certificate. A configmap that kube-controller-manager keeps is left
// alone: it may have been given another certificate.
class RootCaPublisher final : public Controller {
 public:
  RootCaPublisher(client::Collection& namespaces, client::Collection& config_maps, std::string root_ca_pem,
                  base::Executor& loop);

  void Start() override;
  void Stop() override;

 private:
  base::Task<bool> Publish(std::string ns);

  client::Collection& namespaces_;
  client::Collection& config_maps_;
  const std::string root_ca_pem_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
