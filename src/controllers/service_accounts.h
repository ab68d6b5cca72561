// ServiceAccounts: every namespace has the service account "default".
#pragma once

#include <string>

#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class ServiceAccounts final : public Controller {
 public:
  ServiceAccounts(const client::Client& client, base::Executor& loop);

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "serviceaccount"); }

 private:
  base::Task<bool> Ensure(std::string ns);

  const client::Client& client_;
  client::Informer namespaces_, accounts_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
