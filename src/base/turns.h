// Turns: long pieces of work take turns on the executor they run on, one in each of its
// turns, so that a hundred of them at once hold up everything else for one piece and not for
// all of them.
#pragma once

#include "base/task.h"

namespace keelson::base {

// Bytes of a document from which on working on it in one go is long.
constexpr size_t kLongWorkBytes = 64 * 1024;

// Waits until it is the caller's turn on the current executor, in the order of the calls; at
// once when nobody else has had one in this turn. What follows, up to the next suspension,
// is the piece. Outside of an executor there is nothing to wait for.
Task<void> TakeTurn();

}  // namespace keelson::base
