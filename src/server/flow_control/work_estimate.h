// WorkEstimate: how many seats a request takes, and for how long after its end.
//
// A list takes a seat for every 100 kB that it holds in memory at once, as upstream estimates it: objects
// times their mean size, a megabyte at most where the cache streams it. A write takes one seat, and when ten
// or more watches must be told of it, one for each ten of them during 5 ms after its end; where the level
// allows fewer seats, those are taken for longer. Everything else takes one seat.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "endpoints/request_info.h"

namespace keelson::server::flow_control {

struct WorkEstimate {
  int initial_seats = 1;
  int final_seats = 0;
  std::chrono::nanoseconds additional_latency{0};

  int MaxSeats() const { return std::max(initial_seats, final_seats); }
  bool operator==(const WorkEstimate&) const = default;
};

// ResourceSize: how many objects of a resource are stored, and their bytes.
struct ResourceSize {
  int64_t objects = 0;
  int64_t bytes = 0;
};

// `query` as sent. `level_seats`: the most that the priority level allows one request; 0: it does not say.
// `size`: nullopt when nothing of that kind is stored here.
WorkEstimate EstimateList(const endpoints::RequestInfo& info, std::string_view query, int level_seats,
                          const std::optional<ResourceSize>& size);
WorkEstimate EstimateWrite(int64_t watches, int level_seats);

}  // namespace keelson::server::flow_control
