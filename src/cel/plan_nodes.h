// What programs are made of: one node for each part of an expression that is evaluated.
//
// The cost of an evaluation is counted as upstream does: variables, fields and calls cost
// something, constants and logic nothing.
#pragma once

#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/regex.h"
#include "cel/call_cost.h"
#include "cel/library.h"
#include "cel/program.h"
#include "cel/value.h"

namespace keelson::cel::plan {

// Thrown to leave an evaluation for good.
struct CostExceeded {};
struct Interrupted {};

struct Fold;

// One evaluation.
struct Frame {
  Frame(std::span<const Value> vars, size_t local_count, const RunOptions& run_options)
      : variables(vars), locals(local_count), waiting(local_count), options(run_options) {}

  std::span<const Value> variables;
  std::vector<Value> locals;
  std::vector<const Fold*> waiting;  // for each local: its start is still to be evaluated
  const RunOptions& options;
  uint64_t cost = 0;
  uint32_t steps = 0;  // of comprehensions

  void Pay(uint64_t more) {
    cost += more;
    if (cost > options.cost_limit) throw CostExceeded();
  }
};

struct Node {
  virtual ~Node() = default;
  virtual Value Eval(Frame& frame) const = 0;
  // The value of a constant; null for all others.
  virtual const Value* constant() const { return nullptr; }
};
using NodePtr = std::unique_ptr<Node>;

struct Constant final : Node {
  explicit Constant(Value v) : value(std::move(v)) {}
  Value Eval(Frame&) const override { return value; }
  const Value* constant() const override { return &value; }
  Value value;
};

// One step into a value: a field, a key or an index.
struct Qualifier {
  Value key;                             // where it is a constant
  std::unique_ptr<const Node> computed;  // else
  bool attribute = false;                // computed is an attribute: only its own steps cost
  bool optional = false;                 // .? and [?
  bool test = false;                     // the last one of has()
};

// A variable, or any other value, and steps into it.
struct Attribute final : Node {
  enum class Root : uint8_t { kVariable, kLocal, kOperand, kConditional };

  Value Eval(Frame& frame) const override;
  // Without the cost of the attribute itself.
  Value Resolve(Frame& frame) const;
  void Add(std::shared_ptr<const Qualifier> qualifier);

  Root root = Root::kVariable;
  size_t index = 0;  // of the variable or the local
  NodePtr operand;   // or the condition
  std::unique_ptr<Attribute> truthy, falsy;
  std::vector<std::shared_ptr<const Qualifier>> qualifiers;
  bool test = false;

 private:
  Value Start(Frame& frame) const;
};

struct And final : Node {
  Value Eval(Frame& frame) const override;
  std::vector<NodePtr> terms;
  bool is_or = false;
};

struct Equality final : Node {
  Value Eval(Frame& frame) const override;
  NodePtr left, right;
  bool negated = false;
};

struct Call final : Node {
  Value Eval(Frame& frame) const override;
  Value Apply(Args args) const;
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // null: found when called
  CallCost cost;
  std::vector<NodePtr> args;
  std::optional<base::Regex> regex;  // of a literal pattern
};

// x in [1, 2, 3] with constants only.
struct Membership final : Node {
  Value Eval(Frame& frame) const override;
  NodePtr item;
  Value list;
};

// a.or(b), a.orValue(b)
struct OptionalOr final : Node {
  Value Eval(Frame& frame) const override;
  NodePtr left, right;
  bool value = false;
};

struct MakeList final : Node {
  Value Eval(Frame& frame) const override;
  std::vector<NodePtr> items;
  std::vector<bool> optional;
};

struct MakeMap final : Node {
  Value Eval(Frame& frame) const override;
  std::vector<NodePtr> keys, values;
  std::vector<bool> optional;
};

struct MakeObject final : Node {
  Value Eval(Frame& frame) const override;
  const StructTypes* types = nullptr;
  std::string name;
  std::vector<std::string> fields;
  std::vector<NodePtr> values;
  std::vector<bool> optional;
};

struct Fold final : Node {
  Value Eval(Frame& frame) const override;
  NodePtr range, init, condition, step, result;
  size_t accumulator = 0, variable = 0, variable2 = 0;  // locals
  bool two = false;

 private:
  // False: stop.
  bool Step(Frame& frame) const;
};

}  // namespace keelson::cel::plan
