#include "base/memory.h"

#include <malloc.h>
#include <mimalloc.h>

#include <cstddef>
#include <iterator>

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

// A large block that was freed lies in a segment of 32 MB with others. The allocator gives it back when a
// block of that segment is freed after the delay, and collecting does not count: 28 MB of a pod of 30,000
// constraints stay until somebody comes by. So blocks are taken from such segments, and freed while there is
// no delay: each then goes back with the free room around it.
void GiveBackFreeSpans() {
  constexpr size_t kSizes[] = {size_t{12} << 20, size_t{6} << 20, size_t{3} << 20};
  void* blocks[std::size(kSizes)];
  for (size_t i = 0; i < std::size(kSizes); ++i) blocks[i] = mi_malloc(kSizes[i]);
  mi_option_set(kDelay, 0);
  for (void* const block : blocks) mi_free(block);
  mi_option_set(kDelay, kMilliseconds);
}

}  // namespace

std::vector<HeapBlocks> OwnHeapBlocks() {
  if (!&mi_heap_visit_blocks) return {};
  // Nothing may be allocated meanwhile: that would change what is being visited.
  constexpr size_t kMostSizes = 512;
  struct Found {
    HeapBlocks blocks[kMostSizes];
    size_t sizes = 0;
  } found;
  const auto visit = [](const mi_heap_t*, const mi_heap_area_t* area, void*, size_t, void* to) {
    auto& all = *static_cast<Found*>(to);
    size_t i = 0;
    while (i < all.sizes && all.blocks[i].bytes != area->block_size) ++i;
    if (i == kMostSizes) return true;
    if (i == all.sizes) all.blocks[all.sizes++] = {.bytes = area->block_size};
    all.blocks[i].count += area->used;
    return true;
  };
  mi_heap_visit_blocks(mi_heap_get_default(), /*visit_all_blocks=*/false, visit, &found);
  return {found.blocks, found.blocks + found.sizes};
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
    mi_collect(/*force=*/true);
    GiveBackFreeSpans();
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace keelson::base
