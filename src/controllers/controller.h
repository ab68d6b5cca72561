// Controller: something the server does by itself, for as long as it is the one to do it.
#pragma once

#include "base/metrics.h"

namespace keelson::controllers {

// Threads: everything on one loop. It outlives the loop's running.
class Controller {
 public:
  virtual ~Controller() = default;
  // Begins to watch and to act. Requires: it is stopped.
  virtual void Start() = 0;
  // What is under way is finished; nothing is begun any more.
  virtual void Stop() = 0;
  // Tells of its queues from now on; by upstream's names for them, where it has such. Requires: it is
  // stopped.
  virtual void Report(base::Metrics& metrics) = 0;
};

}  // namespace keelson::controllers
