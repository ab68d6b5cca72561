// A snapshot of a Database, read at any revision it still has.
#pragma once

#include <memory>
#include <shared_mutex>

#include "storage/embedded/engine.h"
#include "storage/rocksdb/database.h"

namespace keelson::storage {

// Keeps `lock` while it lives. `compacted`: asked for only after the snapshot is taken.
std::unique_ptr<Engine::View> MakeRocksDbView(Database& database, std::shared_lock<std::shared_mutex> lock,
                                              const std::atomic<Revision>& compacted);

}  // namespace keelson::storage
