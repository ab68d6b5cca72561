// RootCaPublisher: every namespace has the configmap "kube-root-ca.crt", by which pods know
// the server's certificate.
#pragma once

#include <string>

#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all but the certificate. A configmap that kube-controller-manager keeps is left
// alone: it may have been given another certificate.
class RootCaPublisher final : public Controller {
 public:
  RootCaPublisher(const client::Client& client, std::string root_ca_pem, base::Executor& loop);

  void Start() override;
  void Stop() override;
  // Publishes another certificate from now on.
  void SetRootCa(std::string root_ca_pem);
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "root_ca_cert_publisher"); }

 private:
  base::Task<bool> Publish(std::string ns);

  const client::Client& client_;
  std::string root_ca_pem_;
  bool running_ = false;
  client::Informer namespaces_, config_maps_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
