// Occupancy: what a request has of the server while it is served: time until its deadline, and a place that
// others wait for. Work that is done for the request, in whatever layer, gives the place back while it waits
// for somebody outside of the server, by an Absence.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace keelson::base {

// Threads: one at a time, the request's own.
class Occupancy {
 public:
  // Nobody wants the answer after it; max: whenever it comes.
  Clock::SteadyTime deadline = Clock::SteadyTime::max();

 protected:
  Occupancy() = default;
  ~Occupancy() = default;

 private:
  friend class Absence;
  // Gives the place back, and takes one again without waiting for it. Called in turn.
  virtual void Vacate() = 0;
  virtual void Reoccupy() = 0;

  int absences_ = 0;
};

// Absence: the place is given back for as long as an absence lives. There may be several at a time, of work
// that is done side by side.
class Absence {
 public:
  // Null: there is no place. Borrows it.
  explicit Absence(Occupancy* occupancy) : occupancy_(occupancy) {
    if (occupancy_ && occupancy_->absences_++ == 0) occupancy_->Vacate();
  }
  ~Absence() {
    if (occupancy_ && --occupancy_->absences_ == 0) occupancy_->Reoccupy();
  }
  Absence(const Absence&) = delete;
  Absence& operator=(const Absence&) = delete;

 private:
  Occupancy* const occupancy_;
};

// How long somebody may be waited for on behalf of `occupancy`; max: however long it takes. Null: nobody
// waits.
inline std::chrono::nanoseconds TimeLeft(const Occupancy* occupancy, Clock::SteadyTime now) {
  if (!occupancy || occupancy->deadline == Clock::SteadyTime::max()) return std::chrono::nanoseconds::max();
  return occupancy->deadline - now;
}

}  // namespace keelson::base
