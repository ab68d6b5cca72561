// Linked with the server's allocator, unlike other tests.
#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace keelson::base {
namespace {

constexpr uintptr_t kPage = 4096;
constexpr size_t kBytes = size_t{60} << 10;

class MemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (HeapBytes() == 0) GTEST_SKIP() << "another allocator";
    GiveBackMemoryWhenFreed();
    for (size_t i = 0; i < 400; ++i) {
      auto* const block = static_cast<char*>(std::malloc(kBytes));
      std::memset(block, 'x', kBytes);
      blocks_.push_back(block);
    }
  }

  // Bytes of the block that take memory, without the page in which it begins.
  static size_t Resident(char* block) {
    const size_t begin = kPage - reinterpret_cast<uintptr_t>(block) % kPage;
    const size_t pages = (kBytes - begin) / kPage;
    std::vector<unsigned char> in_memory(pages);
    if (mincore(block + begin, pages * kPage, in_memory.data()) != 0) return 0;  // not mapped
    size_t resident = 0;
    for (const unsigned char page : in_memory) resident += (page & 1) * kPage;
    return resident;
  }

  std::vector<char*> blocks_;
};

TEST_F(MemoryTest, FreeBlocksAmongOthersGoBackAndTheOthersKeepTheirBytes) {
  for (size_t i = 0; i < blocks_.size(); ++i)
    if (i % 8 != 0) std::free(blocks_[i]);
  GiveBackMemory();
  size_t resident = 0;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (i % 8 != 0) {
      resident += Resident(blocks_[i]);
      continue;
    }
    EXPECT_EQ(std::string_view(blocks_[i], kBytes).find_first_not_of('x'), std::string_view::npos);
    std::free(blocks_[i]);
  }
  EXPECT_EQ(resident, 0u);
}

TEST_F(MemoryTest, WhatAnotherThreadHasFreedGoesBack) {
  std::thread([this] {
    for (char* const block : blocks_) std::free(block);
  }).join();
  GiveBackMemory();
  size_t resident = 0;
  for (char* const block : blocks_) resident += Resident(block);
  EXPECT_EQ(resident, 0u);
}

TEST_F(MemoryTest, BlocksInUseAreTold) {
  size_t used = 0;
  for (const HeapBlocks& blocks : OwnHeapBlocks())
    if (blocks.bytes >= kBytes) used += blocks.count;
  EXPECT_GE(used, blocks_.size());
  for (char* const block : blocks_) std::free(block);
}

}  // namespace
}  // namespace keelson::base
