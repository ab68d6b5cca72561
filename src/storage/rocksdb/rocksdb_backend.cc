#include "storage/rocksdb/rocksdb_backend.h"

#include <utility>

#include "storage/embedded/embedded_backend.h"
#include "storage/rocksdb/rocksdb_engine.h"

namespace keelson::storage {

Result<std::unique_ptr<Backend>> OpenRocksDbBackend(const RocksDbOptions& options) {
  auto engine = TRY(RocksDbEngine::Open(options.path, {.env = options.env,
                                                       .ballast_bytes = options.ballast_bytes,
                                                       .accept_data_loss = options.accept_data_loss,
                                                       .clock = options.clock}));
  return EmbeddedBackend::Open(std::move(engine),
                               {.clock = options.clock, .recovery_interval = options.recovery_interval});
}

}  // namespace keelson::storage
