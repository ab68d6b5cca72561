// What objects need besides their own place in storage: addresses, ports. It is taken before
// an object is written and given back when the object is not, or when it is gone.
#pragma once

#include <memory>

#include "api/types/doc.h"
#include "base/task.h"
#include "registry/rest/storage.h"

namespace keelson::registry {

// What one write has taken, and what it would give up.
class Reservation {
 public:
  virtual ~Reservation() = default;
  // Called once. Written: what the object no longer has is given back; otherwise what was
  // taken for it. Failing to give something back is no error: it is found and repaired later.
  virtual base::Task<void> Finish(bool written) = 0;
};

// Called by the Store after mutating admission and before the strategy, with documents that
// the calls may change. Nothing is taken in a dry run. The references outlive the tasks.
//
// Threads: any loop.
class Reserver {
 public:
  using Result = rest::Result<std::shared_ptr<Reservation>>;

  virtual ~Reserver() = default;
  virtual base::Task<Result> BeginCreate(const rest::WriteRequest& request, api::Doc& doc) = 0;
  virtual base::Task<Result> BeginUpdate(const rest::WriteRequest& request, api::Doc& now,
                                         const api::Doc& was) = 0;
  // The object is gone for good.
  virtual base::Task<void> AfterDelete(const api::Doc& gone) = 0;
};

}  // namespace keelson::registry
