// IndexSource: what keeps an authorizer's index current.
#pragma once

#include "base/task.h"

namespace keelson::auth {

// Threads: any.
class IndexSource {
 public:
  virtual ~IndexSource() = default;
  // Whether the index has every change that this server has acknowledged: a binding that is gone for who
  // removed it must be gone for the next request. A few loads; asked before each decision.
  virtual bool IsCurrent() const = 0;
  // Resumes once the index has all that was acknowledged before the call.
  virtual base::Task<void> CatchUp() = 0;
};

}  // namespace keelson::auth
