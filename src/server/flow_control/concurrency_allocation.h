// How the server's seats are shared out among priority levels that lend and borrow.
//
// Each level has a target, what it could use, and bounds. There is one proportion p such that each level's p
// * target, held within its bounds, adds up to the seats there are. Example: 10 seats, and
//
//           target   bounds
//     a          8   2 to 20      p = 0.5:  4   within its bounds
//     b          8   6 to 20                6   p * target = 4 is below
//     c          2   0 to  1                1   p * target = 1, which is the upper bound
//
// makes 11: too many. p = 0.375 gives 3, 6 and 0.75, which is 9.75; p = 0.4 gives 3.2, 6 and 0.8, which
// is 10.
//
// The sum grows with p, in straight lines between the points where a level meets a bound. Those are sorted
// and searched for the line that meets the sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace keelson::server::flow_control {

struct AllocationItem {
  double target = 0;  // below 0.001 it counts as that
  double lower_bound = 0;
  double upper_bound = 0;
};

struct Allocation {
  std::vector<double> seats;  // of each item
  double fair_proportion = 0;
};

// The error says which bound makes it impossible. Requires of each item, else an error:
// 0 <= lower_bound <= target, lower_bound <= upper_bound.
base::Result<Allocation, std::string> AllocateConcurrency(int64_t sum,
                                                          const std::vector<AllocationItem>& items);

}  // namespace keelson::server::flow_control
