// LegacyTokenTracking: kube-system has a configmap that says since when the use of token secrets
// is recorded; kube-controller-manager's cleaner removes none that may have been used before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all but the clock. A map that is there with a date in it is left as it is.
class LegacyTokenTracking final : public Controller {
 public:
  using Clock = std::function<int64_t()>;  // seconds since 1970
  LegacyTokenTracking(const client::Client& client, Clock clock, base::Executor& loop);

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "legacy_token_tracking_controller");
  }

 private:
  base::Task<bool> Ensure();

  const client::Client& client_;
  client::Informer config_maps_;
  const Clock clock_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
