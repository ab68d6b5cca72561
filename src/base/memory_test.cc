// Linked with the server's allocator, unlike other tests.
#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
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

// Many small blocks, of which one in 64 stays. Each test has a thread, whose heap has nothing else and which
// looks at small blocks when it gives memory back for the first time.
class SmallBlocksTest : public ::testing::Test {
 protected:
  static constexpr size_t kSmall = 448, kCount = 20'000, kKept = 64;

  void SetUp() override {
    if (HeapBytes() == 0) GTEST_SKIP() << "another allocator";
    GiveBackMemoryWhenFreed();
  }

  template <typename Body>
  void OnItsOwnThread(Body body) {
    std::thread([&] {
      for (size_t i = 0; i < kCount; ++i) blocks_.push_back(Filled());
      for (size_t i = 0; i < kCount; ++i)
        if (i % kKept != 0) std::free(blocks_[i]);
      GiveBackMemory();
      body();
    }).join();
    ExpectKeptBlocksAreWhole();
    for (size_t i = 0; i < kCount; i += kKept) std::free(blocks_[i]);
  }

  static char* Filled() {
    auto* const block = static_cast<char*>(std::malloc(kSmall));
    std::memset(block, 'x', kSmall);
    return block;
  }
  // The blocks in use, by the heap's own count.
  static size_t Used() {
    size_t used = 0;
    for (const HeapBlocks& blocks : OwnHeapBlocks())
      if (blocks.bytes == kSmall) used += blocks.count;
    return used;
  }
  void ExpectKeptBlocksAreWhole() {
    for (size_t i = 0; i < kCount; i += kKept)
      EXPECT_EQ(std::string_view(blocks_[i], kSmall).find_first_not_of('x'), std::string_view::npos);
  }
  // Pages that a freed block is on and no other, and those of them that take memory.
  std::pair<size_t, size_t> FreePages() {
    std::set<uintptr_t> free, used;
    for (size_t i = 0; i < kCount; ++i) {
      const auto at = reinterpret_cast<uintptr_t>(blocks_[i]);
      for (const uintptr_t byte : {at, at + kSmall - 1}) (i % kKept == 0 ? used : free).insert(byte / kPage);
    }
    size_t pages = 0, resident = 0;
    for (const uintptr_t page : free) {
      if (used.contains(page)) continue;
      ++pages;
      unsigned char in_memory = 0;
      if (mincore(reinterpret_cast<void*>(page * kPage), kPage, &in_memory) == 0) resident += in_memory & 1;
    }
    return {pages, resident};
  }

  std::vector<char*> blocks_;
};

TEST_F(SmallBlocksTest, PagesOfFreeBlocksGoBack) {
  OnItsOwnThread([this] {
    const auto [pages, resident] = FreePages();
    EXPECT_GT(pages, kCount * kSmall / kPage / 2);
    // The first and the last of the 16 pages of an area have room that is no block's, and stay.
    EXPECT_LT(resident, pages * 3 / 16) << "of " << pages;
  });
}

TEST_F(SmallBlocksTest, BlocksThatAreHeldCountAsFree) {
  OnItsOwnThread([] { EXPECT_EQ(Used(), (kCount + kKept - 1) / kKept); });
}

TEST_F(SmallBlocksTest, BlocksThatAreHeldAreNobodyElses) {
  OnItsOwnThread([] {
    std::vector<char*> more;
    for (size_t i = 0; i < kCount; ++i) more.push_back(Filled());
    for (char* const block : more) {
      EXPECT_EQ(std::string_view(block, kSmall).find_first_not_of('x'), std::string_view::npos);
      std::free(block);
    }
  });
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
