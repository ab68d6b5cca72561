// The store that the configuration names, and how its history is kept short.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config.h"
#include "app/data_dir.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/backend.h"

namespace keelson::app {

struct OpenedBackend {
  std::unique_ptr<storage::Backend> backend;
  // To be run on a loop every so often, one run at a time; zero: never. Not after the backend is gone.
  std::chrono::nanoseconds compaction_interval{0};
  std::function<base::Task<void>()> compact;
  // How large the store is, as it says itself; nullopt: it does not say. Not after the backend is gone.
  // Empty: that is not asked.
  std::function<base::Task<std::optional<int64_t>>()> database_bytes;
  // Looks whether the configuration of encryption has changed, and uses it then; to be run likewise. Empty:
  // never.
  std::function<base::Task<void>()> reload_encryption;
  // Connections to the store from then on use what the files of TLS hold then. Empty: there are none.
  std::function<base::Result<void, std::string>()> reload_tls;
  // Whether the key services of encryption are well. Empty: there are none.
  std::function<base::Result<void, std::string>()> key_services_health;
};

// Values are encrypted at rest as configured; the backend shows them plain.
// Blocks: an etcd may take a while to answer. Errors are ready to be shown.
base::Result<OpenedBackend, std::string> OpenBackend(const Config& config, const DataDir& dir);

// The store of some resources on these etcd servers, likewise. It may be away, and is used once it answers.
base::Result<OpenedBackend, std::string> OpenOverride(const Config& config,
                                                      const std::vector<std::string>& servers,
                                                      const DataDir& dir);

// As --storage-backend calls it.
const char* BackendName(StorageBackend backend);

}  // namespace keelson::app
