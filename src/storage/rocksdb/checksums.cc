// RocksDB as Debian builds it computes its checksums by tables, several times as slowly as the processor's
// own instruction does. The linker gives every call of its function to ours (--wrap in CMakeLists.txt).
#include <cstddef>
#include <cstdint>

#include "base/crc32c.h"

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's name
extern "C" uint32_t __wrap__ZN7rocksdb6crc32c6ExtendEjPKcm(uint32_t before, const char* data, size_t size);

// rocksdb::crc32c::Extend(before, data, size)
uint32_t __wrap__ZN7rocksdb6crc32c6ExtendEjPKcm(uint32_t before, const char* data, size_t size) {
  return keelson::base::Crc32c(before, {data, size});
}
// NOLINTEND(bugprone-reserved-identifier)
