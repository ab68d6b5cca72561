#include "base/memory.h"

#include <malloc.h>
#include <mimalloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "base/mutex.h"

// The server's allocator. Tests and sanitizers have others.
extern "C" {
decltype(mi_collect) mi_collect __attribute__((weak));
decltype(mi_heap_get_default) mi_heap_get_default __attribute__((weak));
decltype(mi_heap_visit_blocks) mi_heap_visit_blocks __attribute__((weak));
decltype(mi_process_info) mi_process_info __attribute__((weak));
decltype(mi_free) mi_free __attribute__((weak));
decltype(mi_malloc) mi_malloc __attribute__((weak));
decltype(mi_option_set) mi_option_set __attribute__((weak));
decltype(mi_option_set_default) mi_option_set_default __attribute__((weak));
}

namespace keelson::base {
namespace {

#if MI_MALLOC_VERSION < 210
constexpr mi_option_t kDelay = mi_option_decommit_delay;
#else
constexpr mi_option_t kDelay = mi_option_purge_delay;
#endif

constexpr long kMilliseconds = 1;
constexpr uintptr_t kPage = 4096;

// While one lives, what is freed goes back at once. The option is the process's: the last one sets it back.
class NoDelay {
 public:
  NoDelay() {
    MutexLock lock(mu);
    if (count++ == 0) mi_option_set(kDelay, 0);
  }
  ~NoDelay() {
    MutexLock lock(mu);
    if (--count == 0) mi_option_set(kDelay, kMilliseconds);
  }
  NoDelay(const NoDelay&) = delete;
  NoDelay& operator=(const NoDelay&) = delete;

 private:
  static inline Mutex mu;
  static inline int count GUARDED_BY(mu) = 0;
};

// The areas of the calling thread's heap, by the size of their blocks. Nothing may be allocated meanwhile:
// that would change what is being visited.
struct BlockSizes {
  struct Size {
    size_t bytes = 0, used = 0, free = 0;
  };
  static constexpr size_t kMost = 512;
  Size sizes[kMost];
  size_t count = 0;

  std::span<Size> all() { return {sizes, count}; }
  static bool Add(const mi_heap_t*, const mi_heap_area_t* area, void*, size_t, void* to) {
    auto& found = *static_cast<BlockSizes*>(to);
    size_t i = 0;
    while (i < found.count && found.sizes[i].bytes != area->block_size) ++i;
    if (i == kMost) return true;
    if (i == found.count) found.sizes[found.count++] = {.bytes = area->block_size};
    const size_t made = area->committed / area->block_size;
    found.sizes[i].used += area->used;
    found.sizes[i].free += made > area->used ? made - area->used : 0;
    return true;
  }
  BlockSizes() { mi_heap_visit_blocks(mi_heap_get_default(), /*visit_all_blocks=*/false, &Add, this); }
};

// Blocks that are freed one behind the other.
class Taken {
 public:
  Taken() = default;
  ~Taken() {
    while (first_) mi_free(std::exchange(first_, *static_cast<void**>(first_)));
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  void* Take(size_t bytes) {
    void* const block = mi_malloc(bytes);
    if (!block) return nullptr;
    *static_cast<void**>(block) = first_;
    return first_ = block;
  }

 private:
  void* first_ = nullptr;
};

// Lets the memory of a block go, but for the page in which the block begins: there it is linked to others.
void LetGo(void* block, size_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(block);
  const size_t begin = kPage - at % kPage, end = bytes - (at + bytes) % kPage;  // in the block, at pages
  if (begin < end) madvise(static_cast<char*>(block) + begin, end - begin, MADV_DONTNEED);
}

// Large blocks lie together in areas of half a MB, and an area goes back when none of its blocks is in use:
// one that is in use for long, a buffer of the database among definitions that are gone, keeps seven others.
// So those that are free are taken, emptied, and freed again.
void GiveBackFreeBlocks() {
  constexpr size_t kLeast = size_t{8} << 10, kMostBytes = size_t{128} << 10, kMostBlocks = 512;
  BlockSizes found;
  std::ranges::sort(found.all(), std::ranges::greater(), &BlockSizes::Size::bytes);
  size_t left = kMostBlocks;
  Taken taken;
  for (const auto& [bytes, used, free] : found.all()) {
    if (bytes > kMostBytes) continue;
    if (bytes < kLeast) break;
    for (size_t i = 0; i < free && left > 0; ++i, --left)
      if (void* const block = taken.Take(bytes)) LetGo(block, bytes);
  }
}

// A large block that was freed lies in a segment of 32 MB with others. The allocator gives it back when a
// block of that segment is freed after the delay, and collecting does not count: 28 MB of a pod of 30,000
// constraints stay until somebody comes by. So blocks are taken from such segments, and freed while there is
// no delay: each then goes back with the free room around it.
void GiveBackFreeSpans() {
  constexpr size_t kSizes[] = {size_t{12} << 20, size_t{6} << 20, size_t{3} << 20};
  constexpr size_t kSmall = size_t{192} << 10, kSmallSpans = 32;
  Taken taken;
  for (const size_t size : kSizes) taken.Take(size);
  for (size_t i = 0; i < kSmallSpans; ++i) taken.Take(kSmall);
}

}  // namespace

std::vector<HeapBlocks> OwnHeapBlocks() {
  if (!&mi_heap_visit_blocks) return {};
  BlockSizes found;
  std::vector<HeapBlocks> blocks;
  for (const auto& [bytes, used, free] : found.all()) blocks.push_back({.bytes = bytes, .count = used});
  return blocks;
}

size_t HeapBytes() {
  if (!&mi_process_info) return 0;
  size_t elapsed = 0, user = 0, system = 0, resident = 0, most_resident = 0, committed = 0, most = 0,
         faults = 0;
  mi_process_info(&elapsed, &user, &system, &resident, &most_resident, &committed, &most, &faults);
  return committed;
}

void GiveBackMemoryWhenFreed() {
  if (&mi_option_set_default) mi_option_set_default(kDelay, kMilliseconds);
}

void GiveBackMemory() {
  if (&mi_collect) {
    const NoDelay no_delay;
    mi_collect(/*force=*/true);
    GiveBackFreeBlocks();
    GiveBackFreeSpans();
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace keelson::base
