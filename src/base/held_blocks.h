// HeldBlocks: free blocks of the calling thread's heap, taken so that nobody uses them and their memory is
// the system's.
//
// The allocator puts blocks of one size into areas of 64 kB and more, and an area goes back when none of its
// blocks is in use. After many objects have gone, areas stay that have a few blocks in use, and the free ones
// cannot be given back either: the list of free blocks runs through them. A block that is taken is in no such
// list. So all free blocks of a size are taken; those that fill pages of the system are held while these
// pages are the system's, and the others are freed again.
//
// Example, blocks of 1,536 bytes from address 0x10000 on, of which the second is in use: the first, and the
// third to the 42nd, are taken. The latter lie from 0x10c00 to 0x1fc00 and fill the pages from 0x11000 to
// 0x1f000. The third block ends at 0x11200, on one of these pages, and is held with the 37 behind it; the
// last two, from 0x1f000 on, are on none of them and are freed, and so is the first.
//
// Threads: one object belongs to one thread, whose heap it takes blocks of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace keelson::base {

inline constexpr uintptr_t kSystemPage = 4096;

class HeldBlocks {
 public:
  HeldBlocks() = default;
  ~HeldBlocks() { Release(); }
  HeldBlocks(const HeldBlocks&) = delete;
  HeldBlocks& operator=(const HeldBlocks&) = delete;

  // Takes up to `count` blocks of `block_bytes`, a size that the allocator has areas of, and holds those that
  // fill pages. Requires: the server's allocator is linked.
  void Hold(size_t block_bytes, size_t count);
  // Frees what is held. The pages are the process's again, as far as the list of free blocks runs through
  // them.
  void Release();

  bool empty() const { return runs_.empty(); }
  size_t bytes() const;  // of all that are held
  // The blocks of that size that are held.
  size_t count(size_t block_bytes) const;

 private:
  // Blocks that lie one behind the other.
  struct Run {
    char* first;
    uint32_t block_bytes, count;
  };
  void HoldPagesOf(Run run);

  std::vector<Run> runs_;
};

}  // namespace keelson::base
