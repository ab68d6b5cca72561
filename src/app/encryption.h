// How the values of a store are encrypted: by --encryption-provider-config, and without it, on the
// embedded store, by a configuration made on the first start.
#pragma once

#include <memory>
#include <string>

#include "app/config.h"
#include "app/data_dir.h"
#include "base/result.h"
#include "storage/backend.h"

namespace keelson::app {

// `backend` with encryption above it. Errors are ready to be shown.
base::Result<std::unique_ptr<storage::Backend>, std::string> Encrypted(
    std::unique_ptr<storage::Backend> backend, const Config& config, const DataDir& dir);

}  // namespace keelson::app
