// Identities: whether an object is still there, and still the same one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

struct Identity {
  std::string uid;
  int64_t deletion_time = 0;  // Unix seconds; 0: it is not being deleted
};

// Threads: any.
class Identities {
 public:
  virtual ~Identities() = default;
  // The object of a core/v1 resource, named by its plural; nullopt: there is none. `ns` is
  // empty for cluster-scoped ones. An error when that cannot be told now.
  virtual base::Task<base::Result<std::optional<Identity>, std::string>> Find(std::string_view resource,
                                                                              std::string ns,
                                                                              std::string name) = 0;
};

}  // namespace keelson::client
