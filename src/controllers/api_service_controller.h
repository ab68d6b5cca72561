// ApiServiceController: tells in the status of the APIServices of this server that they are available.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

inline constexpr client::Resource kApiServices{"apiregistration.k8s.io", "apiservices"};

// Borrows all.
class ApiServiceController final : public Controller {
 public:
  ApiServiceController(const client::Client& client, base::Executor& loop,
                       const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "LocalAvailabilityController"); }

 private:
  base::Task<bool> Sync(std::string name);

  const client::Client& client_;
  const base::Clock& clock_;
  client::Informer api_services_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
