#include "base/held_blocks.h"

#include <mimalloc.h>
#include <sys/mman.h>

#include <algorithm>

extern "C" {
decltype(mi_free) mi_free __attribute__((weak));
decltype(mi_malloc) mi_malloc __attribute__((weak));
}

namespace keelson::base {
namespace {

void FreeBlocks(char* first, size_t block_bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) mi_free(first + i * block_bytes);
}

// How many bytes of the page that `at` is on lie before it.
size_t OffsetOnPage(const char* at) { return reinterpret_cast<uintptr_t>(at) % kSystemPage; }

}  // namespace

void HeldBlocks::Hold(size_t block_bytes, size_t count) {
  std::vector<char*> taken;
  taken.reserve(count);
  while (taken.size() < count) {
    void* const block = mi_malloc(block_bytes);
    if (!block) break;
    taken.push_back(static_cast<char*>(block));
  }
  std::ranges::sort(taken);
  for (size_t begin = 0, end = 0; begin < taken.size(); begin = end) {
    while (end < taken.size() && taken[end] == taken[begin] + (end - begin) * block_bytes) ++end;
    HoldPagesOf({taken[begin], static_cast<uint32_t>(block_bytes), static_cast<uint32_t>(end - begin)});
  }
}

void HeldBlocks::HoldPagesOf(Run run) {
  const size_t bytes = run.block_bytes, all = bytes * run.count;
  // The pages that are filled, from the first block on; where there is none, they begin behind their end.
  const size_t pages = (kSystemPage - OffsetOnPage(run.first)) % kSystemPage,
               last = OffsetOnPage(run.first + all), pages_end = last < all ? all - last : 0;
  if (pages >= pages_end || madvise(run.first + pages, pages_end - pages, MADV_DONTNEED) != 0)
    return FreeBlocks(run.first, bytes, run.count);
  const size_t before = pages / bytes, held_end = (pages_end + bytes - 1) / bytes;
  FreeBlocks(run.first, bytes, before);
  FreeBlocks(run.first + held_end * bytes, bytes, run.count - held_end);
  runs_.push_back({run.first + before * bytes, run.block_bytes, static_cast<uint32_t>(held_end - before)});
}

void HeldBlocks::Release() {
  for (const Run& run : runs_) FreeBlocks(run.first, run.block_bytes, run.count);
  runs_ = {};
}

size_t HeldBlocks::bytes() const {
  size_t held = 0;
  for (const Run& run : runs_) held += size_t{run.block_bytes} * run.count;
  return held;
}

size_t HeldBlocks::count(size_t block_bytes) const {
  size_t held = 0;
  for (const Run& run : runs_)
    if (run.block_bytes == block_bytes) held += run.count;
  return held;
}

}  // namespace keelson::base
