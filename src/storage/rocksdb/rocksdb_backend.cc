#include "storage/rocksdb/rocksdb_backend.h"

#include <utility>

#include "storage/embedded/embedded_backend.h"
#include "storage/rocksdb/rocksdb_engine.h"

namespace keelson::storage {

Result<std::unique_ptr<Backend>> OpenRocksDbBackend(const RocksDbOptions& options) {
  auto engine = RocksDbEngine::Open(options.path, {.env = options.env,
                                                   .ballast_bytes = options.ballast_bytes,
                                                   .accept_data_loss = options.accept_data_loss,
                                                   .clock = options.clock});
  if (!engine) return base::Err(std::move(engine.error()));
  return EmbeddedBackend::Open(std::move(*engine),
                               {.clock = options.clock, .recovery_interval = options.recovery_interval});
}

}  // namespace keelson::storage
