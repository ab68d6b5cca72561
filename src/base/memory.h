// Returns freed memory to the system, which the allocator by default keeps for long.
#pragma once

#include <cstddef>
#include <vector>

namespace keelson::base {

// For a process, before it begins: memory is given back a tenth of a second after it was freed, when more is
// freed beside it. Sooner costs more than it saves: a server that creates objects would take each page back
// within milliseconds.
void GiveBackMemoryWhenFreed();

// Gives back to the system what the calling thread has freed and the allocator keeps for it. Takes about a
// millisecond: for a thread that has done something large.
void GiveBackMemory();

// Blocks of one size that are in use.
struct HeapBlocks {
  size_t bytes = 0;  // of each
  size_t count = 0;
};
// What the calling thread has allocated and nobody has freed, by size; empty where the allocator does not
// tell. Takes time in proportion to the pages of the thread.
std::vector<HeapBlocks> OwnHeapBlocks();
// What the allocator has from the system, all threads together; 0: it does not tell.
size_t HeapBytes();

}  // namespace keelson::base
