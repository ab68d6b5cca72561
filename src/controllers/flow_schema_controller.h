// FlowSchemaController: tells in the status of each FlowSchema whether the priority level it
// names is there.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class FlowSchemaController final : public Controller {
 public:
  // Whom upstream names as the owner of the condition; the client should write as this.
  static constexpr std::string_view kManager = "api-priority-and-fairness-config-consumer-v1";

  FlowSchemaController(const client::Client& client, base::Executor& loop,
                       const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "priority_and_fairness_config_queue");
  }

 private:
  base::Task<bool> Sync(std::string name);
  base::Task<void> LookAgain(std::string level);

  const client::Client& client_;
  const base::Clock& clock_;
  client::Informer schemas_, levels_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
