// GiveBackMemory: returns freed memory to the system.
#pragma once

namespace keelson::base {

// Gives back to the system what the calling thread has freed and the allocator keeps for it. Takes about a
// millisecond: for a thread that has done something large.
void GiveBackMemory();

}  // namespace keelson::base
