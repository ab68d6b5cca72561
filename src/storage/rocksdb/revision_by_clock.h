// RevisionByClock: where a store goes on whose newest revisions are lost.
#pragma once

#include <algorithm>
#include <chrono>

#include "storage/errors.h"

namespace keelson::storage {

// A clock that is wrong must not waste what revisions there are: half of those that a JavaScript client can
// count, which is the year 2112.
inline constexpr Revision kLastByClock = Revision{1} << 52;
inline constexpr Revision kLeastJump = 1'000'000'000;

// A revision that the store has never told anybody: the number of microseconds since 1970, and at least
// kLeastJump beyond `newest`, which is the newest revision that is known. A store that began at 1, or by this
// rule, and has taken less than a million writes a second since, is below it.
inline Revision RevisionByClock(Revision newest, std::chrono::system_clock::time_point now) {
  using std::chrono::microseconds;
  const Revision by_clock = std::chrono::duration_cast<microseconds>(now.time_since_epoch()).count();
  return std::clamp(by_clock, newest + kLeastJump, std::max(newest + kLeastJump, kLastByClock));
}

}  // namespace keelson::storage
