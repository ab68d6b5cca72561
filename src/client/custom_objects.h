// CustomObjects: the objects of custom resources, as who deletes their definitions sees them.
#pragma once

#include <cstdint>
#include <string>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Threads: every call comes on the controller's loop and resumes there.
class CustomObjects {
 public:
  virtual ~CustomObjects() = default;
  // Deletes every object of the definition; how many are left, since something holds them. An error: not all
  // could be asked to go.
  virtual base::Task<base::Result<int64_t, api::Status>> DeleteAll(std::string definition) = 0;
};

}  // namespace keelson::client
