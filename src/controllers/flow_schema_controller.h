// FlowSchemaController: tells in the status of each FlowSchema whether the priority level it
// names is there.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "client/collection.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class FlowSchemaController final : public Controller {
 public:
  // Whom upstream names as the owner of the condition; `schemas` should write as this.
  static constexpr std::string_view kManager = "api-priority-and-fairness-config-consumer-v1";

  FlowSchemaController(client::Collection& schemas, client::Collection& levels, base::Executor& loop,
                       const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;

 private:
  base::Task<bool> Sync(std::string name);
  base::Task<void> LookAgain(std::string level);

  client::Collection& schemas_;
  client::Collection& levels_;
  const base::Clock& clock_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
