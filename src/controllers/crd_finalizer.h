// CrdFinalizer: a CustomResourceDefinition that is being deleted goes after its objects.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/collection.h"
#include "client/custom_objects.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class CrdFinalizer final : public Controller {
 public:
  CrdFinalizer(client::Collection& definitions, client::CustomObjects& objects, base::Executor& loop,
               const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;

 private:
  base::Task<bool> Sync(std::string name);
  struct Progress;
  // Writes the condition; with `finish` the definition may go.
  base::Task<bool> Tell(const std::string& name, Progress progress, bool finish);

  client::Collection& definitions_;
  client::CustomObjects& objects_;
  const base::Clock& clock_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
