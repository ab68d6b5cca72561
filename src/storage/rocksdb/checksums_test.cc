#include <gtest/gtest.h>

#include <random>
#include <string>

namespace rocksdb::crc32c {
uint32_t Extend(uint32_t before, const char* data, size_t size);
}
extern "C" uint32_t __real__ZN7rocksdb6crc32c6ExtendEjPKcm(uint32_t before, const char* data, size_t size);

namespace keelson::storage {
namespace {

TEST(ChecksumsTest, AreThoseOfRocksDb) {
  std::mt19937_64 random(1);
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes.push_back(static_cast<char>(random()));
  for (size_t size : {0, 1, 7, 8, 9, 63, 64, 1000, 1999}) {
    for (size_t from : {0, 1}) {
      const auto before = static_cast<uint32_t>(random());
      EXPECT_EQ(::rocksdb::crc32c::Extend(before, bytes.data() + from, size),
                __real__ZN7rocksdb6crc32c6ExtendEjPKcm(before, bytes.data() + from, size))
          << size;
    }
  }
}

}  // namespace
}  // namespace keelson::storage
