// How the values of a store are encrypted: by --encryption-provider-config, and without it, on the
// embedded store, by a configuration made on the first start.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/config.h"
#include "app/data_dir.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/backend.h"

namespace keelson::app {

struct EncryptedStore {
  std::unique_ptr<storage::Backend> backend;
  // Reads the configuration again and uses it if it has changed and is good. Not after the backend is
  // gone. Empty: that is not wanted.
  std::function<base::Task<void>()> reload;
  // Whether the key services in use are well. Empty: there can be none.
  std::function<base::Result<void, std::string>()> key_services_health;
};

// Whether the configuration names a key service, or may come to name one.
bool MayUseKeyServices(const Config& config);

// `backend` with encryption above it. Blocks until every key service has given a key, for a minute at most.
// Errors are ready to be shown.
base::Result<EncryptedStore, std::string> Encrypted(std::unique_ptr<storage::Backend> backend,
                                                    const Config& config, const DataDir& dir);

}  // namespace keelson::app
