// ServerLeases: which servers of the API are alive, and where. Each says so every few seconds; who no longer
// does is forgotten.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::registry::core {

struct ServerLease {
  std::string name;  // by which it is found
  std::string address;
  uint16_t port = 0;  // 0: it does not say
};

// Threads: made by one, then any loop. The backend outlives it.
class ServerLeases {
 public:
  // For whom servers say where they are: leases for clients have the address as their name, and no port;
  // those for other servers the id of the server.
  enum class For : uint8_t { kClients, kServers };

  // Blocks while it loads. `registry_prefix`: of keys.
  static base::Result<std::unique_ptr<ServerLeases>, std::string> Open(storage::Backend& backend,
                                                                       std::string registry_prefix, For whom);

  base::Task<base::Result<void, std::string>> Renew(ServerLease lease);
  // Whether there was one.
  base::Task<base::Result<bool, std::string>> Remove(std::string name);
  // The names of all, in order.
  base::Task<base::Result<std::vector<std::string>, std::string>> Names();
  // nullopt: there is none.
  base::Task<base::Result<std::optional<ServerLease>, std::string>> Find(std::string name);

 private:
  explicit ServerLeases(std::unique_ptr<storage::Cacher> leases) : leases_(std::move(leases)) {}
  const std::unique_ptr<storage::Cacher> leases_;
};

}  // namespace keelson::registry::core
