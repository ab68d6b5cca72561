#include "server/flow_control/concurrency_allocation.h"

#include <algorithm>
#include <cstdint>

namespace keelson::server::flow_control {
namespace {

constexpr double kMinTarget = 0.001;
constexpr double kEpsilon = 1e-7;

double TargetOf(const AllocationItem& item) { return std::max(item.target, kMinTarget); }

double SeatsAt(const AllocationItem& item, double proportion) {
  return std::clamp(proportion * TargetOf(item), item.lower_bound, item.upper_bound);
}

double SumAt(const std::vector<AllocationItem>& items, double proportion) {
  double sum = 0;
  for (const AllocationItem& item : items) sum += SeatsAt(item, proportion);
  return sum;
}

base::Result<void, std::string> CheckItems(const std::vector<AllocationItem>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    const AllocationItem& item = items[i];
    const auto fails = [i](const char* what) { return base::Err("item " + std::to_string(i) + ": " + what); };
    if (item.lower_bound < 0) return fails("its lower bound is negative");
    if (item.target < item.lower_bound) return fails("its target is below its lower bound");
    if (item.upper_bound < item.lower_bound) return fails("its upper bound is below its lower bound");
  }
  return {};
}

// The least proportion with that sum. `points`, sorted: where an item meets one of its bounds.
double Solve(double sum, const std::vector<AllocationItem>& items, const std::vector<double>& points) {
  const auto above = std::partition_point(points.begin(), points.end(),
                                          [&](double point) { return SumAt(items, point) < sum; });
  if (above == points.begin()) return points.front();
  if (above == points.end()) return points.back();
  const double low = *(above - 1), high = *above;
  const double low_sum = SumAt(items, low), high_sum = SumAt(items, high);
  return low + (sum - low_sum) / (high_sum - low_sum) * (high - low);
}

}  // namespace

base::Result<Allocation, std::string> AllocateConcurrency(int64_t sum,
                                                          const std::vector<AllocationItem>& items) {
  if (sum < 0) return base::Err(std::string("the sum is negative"));
  TRY(CheckItems(items));
  double low_sum = 0, high_sum = 0;
  std::vector<double> points;
  for (const AllocationItem& item : items) {
    low_sum += item.lower_bound;
    high_sum += item.upper_bound;
    for (const double bound : {item.lower_bound, item.upper_bound}) points.push_back(bound / TargetOf(item));
  }
  const auto wanted = static_cast<double>(sum);
  if (low_sum - wanted > kEpsilon)
    return base::Err("the lower bounds sum to " + std::to_string(low_sum) + ", more than " +
                     std::to_string(sum));
  if (wanted - high_sum > kEpsilon)
    return base::Err("the upper bounds sum to " + std::to_string(high_sum) + ", less than " +
                     std::to_string(sum));
  Allocation allocation{.seats = std::vector<double>(items.size()), .fair_proportion = 0};
  if (sum == 0) return allocation;

  std::ranges::sort(points);
  // At the ends the sum need not be exact.
  if (low_sum - wanted > -kEpsilon) {
    allocation.fair_proportion = points.front();
  } else if (wanted - high_sum > -kEpsilon) {
    allocation.fair_proportion = points.back();
  } else {
    allocation.fair_proportion = Solve(wanted, items, points);
  }
  for (size_t i = 0; i < items.size(); ++i)
    allocation.seats[i] = SeatsAt(items[i], allocation.fair_proportion);
  return allocation;
}

}  // namespace keelson::server::flow_control
