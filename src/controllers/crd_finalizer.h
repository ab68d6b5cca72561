// CrdFinalizer: a CustomResourceDefinition that is being deleted goes after its objects.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class CrdFinalizer final : public Controller {
 public:
  CrdFinalizer(const client::Client& client, base::Executor& loop,
               const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "crd_finalizer"); }

 private:
  base::Task<bool> Sync(std::string name);
  struct Progress;
  // Deletes every object that the definition defines; how many are left, since something holds them. An
  // error: not all could be asked to go.
  base::Task<client::Result<int64_t>> DeleteObjects(std::string definition, client::SourcePtr source);
  // Writes the condition; with `finish` the definition may go.
  base::Task<bool> Tell(const std::string& name, Progress progress, bool finish);

  const client::Client& client_;
  const base::Clock& clock_;
  client::Informer definitions_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
