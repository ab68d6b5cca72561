// What an expression may cost at least and at most, found before it ever runs: an expression
// that can get too expensive is refused when it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"

namespace keelson::cel {

// The greatest cost or size there is: what nobody knows a bound of.
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// From the least to the most; calculations stop at the greatest number.
struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  static Range Exactly(uint64_t n) { return {n, n}; }
  static Range Unknown() { return {0, kMost}; }
  Range operator+(const Range& o) const;
  Range operator*(const Range& o) const;
  Range Times(double factor) const;  // rounded up
  // The smallest that both are within.
  Range Union(const Range& o) const;
};

// A part of an expression as the estimate sees it.
struct EstimateNode {
  std::vector<std::string> path;  // from a variable: self, spec, items, @items
  TypeRef type;
  const Expr* expr = nullptr;
  std::optional<Range> size;
};

// How large the value of a part may be; nothing where nobody knows.
using SizeOracle = std::function<std::optional<Range>(const EstimateNode& node)>;

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};
// Of Kubernetes' functions and the extensions; nothing for those of the language.
std::optional<CallEstimate> EstimateCall(std::string_view function, std::string_view overload,
                                         const EstimateNode* target, std::span<const EstimateNode> args,
                                         const SizeOracle& sizes);

Range EstimateCost(const Checked& expression, const SizeOracle& sizes);

}  // namespace keelson::cel
