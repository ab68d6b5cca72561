// Namespaces: what the namespace controller reads and writes. The composition root
// implements it over the stores.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Threads: every call comes on the controller's loop and resumes there.
class Namespaces {
 public:
  virtual ~Namespaces() = default;

  // Calls `see` with the name of every namespace that is terminating: those there are now
  // first, then each time one changes.
  virtual void WatchTerminating(std::function<void(std::string)> see) = 0;

  // Deletes all that lies in `ns`, and tells how many objects are still there: pods that
  // end gracefully, objects with finalizers.
  virtual base::Task<base::Result<int64_t, api::Status>> DeleteContent(std::string ns) = 0;

  // Takes the finalizer "kubernetes" away, so that the namespace can go.
  virtual base::Task<base::Result<void, api::Status>> Finalize(std::string ns) = 0;
};

}  // namespace keelson::client
