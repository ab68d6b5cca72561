// ServiceAccounts: every namespace has the service account "default".
#pragma once

#include <string>

#include "client/collection.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class ServiceAccounts final : public Controller {
 public:
  ServiceAccounts(client::Collection& namespaces, client::Collection& accounts, base::Executor& loop);

  void Start() override;
  void Stop() override;

 private:
  base::Task<bool> Ensure(std::string ns);

  client::Collection& namespaces_;
  client::Collection& accounts_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
