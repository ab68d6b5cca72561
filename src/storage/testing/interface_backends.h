// The embedded engines that a storage::Interface is tested over.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "base/testing/temp_dir.h"
#include "storage/memory/memory_backend.h"
#include "storage/rocksdb/rocksdb_backend.h"
#include "storage/testing/interface_suite.h"

namespace keelson::storage {

inline std::unique_ptr<BackendForTest> MemoryForTest() {
  return std::make_unique<OwnedBackend>(OpenMemoryBackend());
}

class RocksDbOnTempDir final : public BackendForTest {
 public:
  RocksDbOnTempDir() {
    auto opened = OpenRocksDbBackend({.path = (dir_.path() / "db").string()});
    EXPECT_TRUE(opened) << opened.error().detail;
    backend_ = std::move(*opened);
  }
  Backend& backend() override { return *backend_; }

 private:
  base::testing::TempDir dir_;
  std::unique_ptr<Backend> backend_;
};

inline std::unique_ptr<BackendForTest> RocksDbForTest() { return std::make_unique<RocksDbOnTempDir>(); }

}  // namespace keelson::storage
