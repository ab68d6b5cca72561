// ServerLeases: which servers of the API are alive, by their addresses. Each says so every few seconds; who
// no longer does is forgotten.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::registry::core {

// Threads: made by one, then any loop. The backend outlives it.
class ServerLeases {
 public:
  // Blocks while it loads. `registry_prefix`: of keys.
  static base::Result<std::unique_ptr<ServerLeases>, std::string> Open(storage::Backend& backend,
                                                                       std::string registry_prefix);

  base::Task<base::Result<void, std::string>> Renew(std::string address);
  // Whether there was one.
  base::Task<base::Result<bool, std::string>> Remove(std::string address);
  // In order.
  base::Task<base::Result<std::vector<std::string>, std::string>> Addresses();

 private:
  explicit ServerLeases(std::unique_ptr<storage::Cacher> leases) : leases_(std::move(leases)) {}
  const std::unique_ptr<storage::Cacher> leases_;
};

}  // namespace keelson::registry::core
