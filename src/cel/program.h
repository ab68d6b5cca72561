// Program: an expression ready to run, many times and from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "cel/environment.h"

namespace keelson::cel {

// The most one evaluation may cost.
constexpr uint64_t kMaxCostPerCall = 1'000'000;

struct RunOptions {
  uint64_t cost_limit = kMaxCostPerCall;
  // Asked now and then; true: give up.
  std::function<bool()> interrupted;
};

struct Outcome {
  Value value;  // or an error
  uint64_t cost = 0;
  // The limit was reached; the value is an error that says so.
  bool cost_exceeded = false;
};

namespace plan {
struct Node;
}

class Program {
 public:
  // The error is why it cannot run although it is right: a conversion of a literal that fails.
  static base::Result<Program, std::string> Plan(const Checked& expression, const Environment& environment);

  // `variables` are those of the environment, in its order.
  Outcome Run(std::span<const Value> variables, const RunOptions& options = {}) const;

 private:
  Program(std::shared_ptr<const plan::Node> root, size_t locals) : root_(std::move(root)), locals_(locals) {}
  std::shared_ptr<const plan::Node> root_;
  size_t locals_;
};

}  // namespace keelson::cel
