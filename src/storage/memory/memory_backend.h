// The memory engine: everything is gone with the process. For tests and for servers that
// need no store between runs.
#pragma once

#include <memory>

#include "base/clock.h"
#include "storage/backend.h"

namespace keelson::storage {

struct MemoryOptions {
  const base::Clock* clock = &base::Clock::Real();  // for leases
};

std::unique_ptr<Backend> OpenMemoryBackend(const MemoryOptions& options = {});

}  // namespace keelson::storage
