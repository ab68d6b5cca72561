// Returns freed memory to the system, which the allocator by default keeps for long.
#pragma once

namespace keelson::base {

// For a process, before it begins: memory is given back a millisecond after it was freed. The allocator would
// otherwise wait for more to be freed some time later, which after one large request may never come: each
// loop would keep 50 MB.
void GiveBackMemoryWhenFreed();

// Gives back to the system what the calling thread has freed and the allocator keeps for it. Takes about a
// millisecond: for a thread that has done something large.
void GiveBackMemory();

}  // namespace keelson::base
