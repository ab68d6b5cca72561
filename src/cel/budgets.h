// What all expressions that judge one object may cost together when they run.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::cel {

constexpr int64_t kCostBudget = 10'000'000;

constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

}  // namespace keelson::cel
