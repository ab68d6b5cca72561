#include "base/memory.h"

#include <malloc.h>
#include <mimalloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "base/held_blocks.h"
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

constexpr long kMilliseconds = 100;
constexpr size_t kLeastEmptied = size_t{8} << 10;  // smaller blocks are held to give their pages back

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
  size_t used_bytes() {
    size_t bytes = 0;
    for (const Size& size : all()) bytes += size.used * size.bytes;
    return bytes;
  }
  void SortBySize() { std::ranges::sort(all(), std::ranges::greater(), &Size::bytes); }
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
  const size_t begin = kSystemPage - at % kSystemPage,
               end = bytes - (at + bytes) % kSystemPage;  // in the block, at pages
  if (begin < end) madvise(static_cast<char*>(block) + begin, end - begin, MADV_DONTNEED);
}

// Large blocks lie together in areas of half a MB, and an area goes back when none of its blocks is in use:
// one that is in use for long, a buffer of the database among definitions that are gone, keeps seven others.
// So those that are free are taken, emptied, and freed again.
void GiveBackFreeBlocks() {
  constexpr size_t kMostBytes = size_t{128} << 10, kMostBlocks = 512;
  BlockSizes found;
  found.SortBySize();
  size_t left = kMostBlocks;
  Taken taken;
  for (const auto& [bytes, used, free] : found.all()) {
    if (bytes > kMostBytes) continue;
    if (bytes < kLeastEmptied) break;
    for (size_t i = 0; i < free && left > 0; ++i, --left)
      if (void* const block = taken.Take(bytes)) LetGo(block, bytes);
  }
}

// Small blocks of the calling thread that are held. They are looked at now and then, so that whoever gives
// memory back after each large request is not held up by it.
class Holding {
 public:
  // Holds the free blocks of sizes that have many of them. If what is in use has changed, those that were
  // held are freed before: areas that only they keep then go back whole, and there may be use for them.
  void Renew() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kPause;
    if (!held_.empty()) {
      const size_t used = BlockSizes().used_bytes() - held_.bytes();
      if (std::max(used, used_) - std::min(used, used_) < kLeastChange) return;
      held_.Release();
      mi_collect(/*force=*/true);
    }
    BlockSizes found;
    used_ = found.used_bytes();
    found.SortBySize();
    size_t left = kMostBlocks;
    for (const auto& [bytes, used, free] : found.all()) {
      if (bytes >= kLeastEmptied || free < used / 4 || free * bytes < kLeastFree) continue;
      const size_t count = std::min(free, left);
      held_.Hold(bytes, count);
      left -= count;
    }
  }
  size_t count(size_t block_bytes) const { return held_.count(block_bytes); }

 private:
  static constexpr std::chrono::seconds kPause{10};
  static constexpr size_t kLeastChange = size_t{64} << 10;  // of what is in use
  static constexpr size_t kLeastFree = size_t{16} << 10;    // of one size
  static constexpr size_t kMostBlocks = size_t{64} << 10;   // at a time

  HeldBlocks held_;
  size_t used_ = 0;  // when blocks were held
  std::chrono::steady_clock::time_point next_;
};

thread_local Holding holding;

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
  for (const auto& [bytes, used, free] : found.all())
    if (const size_t held = holding.count(bytes); used > held)
      blocks.push_back({.bytes = bytes, .count = used - held});
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
    holding.Renew();
    GiveBackFreeBlocks();
    GiveBackFreeSpans();
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace keelson::base
