// From a checked expression to a program.
#include <algorithm>

#include "cel/plan_nodes.h"
#include "cel/program.h"

namespace keelson::cel {
namespace plan {
namespace {

// What is wrong with a program although its expression is right.
struct Refused {
  std::string why;
};

constexpr std::string_view kConversions[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                             "int",  "string", "timestamp", "type",     "uint"};

class Planner {
 public:
  explicit Planner(const Environment& environment) : env_(environment) {}

  NodePtr Plan(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral: return std::make_unique<Constant>(expr.literal);
      case Expr::Kind::kIdent: return Ident(expr);
      case Expr::Kind::kSelect: return Select(expr);
      case Expr::Kind::kCall: return PlanCall(expr);
      case Expr::Kind::kList: return List(expr);
      case Expr::Kind::kMap: return Map(expr);
      case Expr::Kind::kStruct: return Object(expr);
      case Expr::Kind::kComprehension: return PlanFold(expr);
      case Expr::Kind::kNone: break;
    }
    return std::make_unique<Constant>(Value::Error("no expression"));
  }

  size_t locals() const { return most_locals_; }

 private:
  struct Local {
    std::string name;
    size_t index;
  };

  NodePtr Ident(const Expr& expr) {
    auto attribute = std::make_unique<Attribute>();
    for (size_t i = scope_.size(); i-- > 0;) {
      if (scope_[i].name != expr.name) continue;
      attribute->root = Attribute::Root::kLocal;
      attribute->index = scope_[i].index;
      return attribute;
    }
    if (const int variable = env_.FindVariable(expr.name); variable >= 0) {
      attribute->index = static_cast<size_t>(variable);
      return attribute;
    }
    return std::make_unique<Constant>(Value::OfType(env_.FindType(expr.name)));
  }

  // A node that can be stepped into.
  static std::unique_ptr<Attribute> AsAttribute(NodePtr node) {
    if (dynamic_cast<Attribute*>(node.get()))
      return std::unique_ptr<Attribute>(static_cast<Attribute*>(node.release()));
    auto attribute = std::make_unique<Attribute>();
    attribute->root = Attribute::Root::kOperand;
    attribute->operand = std::move(node);
    return attribute;
  }

  NodePtr Select(const Expr& expr) {
    auto attribute = AsAttribute(Plan(*expr.target));
    auto qualifier = std::make_shared<Qualifier>();
    qualifier->key = Value::String(expr.name);
    qualifier->test = expr.test_only;
    attribute->Add(std::move(qualifier));
    attribute->test = expr.test_only;
    return attribute;
  }

  NodePtr Index(std::vector<NodePtr> args, bool optional) {
    auto attribute = AsAttribute(std::move(args[0]));
    auto qualifier = std::make_shared<Qualifier>();
    qualifier->optional = optional;
    if (const Value* constant = args[1]->constant()) {
      qualifier->key = *constant;
    } else {
      qualifier->attribute = dynamic_cast<Attribute*>(args[1].get()) != nullptr;
      qualifier->computed = std::move(args[1]);
    }
    attribute->Add(std::move(qualifier));
    return attribute;
  }

  NodePtr Conditional(std::vector<NodePtr> args) {
    auto attribute = std::make_unique<Attribute>();
    attribute->root = Attribute::Root::kConditional;
    attribute->operand = std::move(args[0]);
    attribute->truthy = AsAttribute(std::move(args[1]));
    attribute->falsy = AsAttribute(std::move(args[2]));
    return attribute;
  }

  NodePtr PlanCall(const Expr& expr) {
    std::vector<NodePtr> args;
    if (expr.target) args.push_back(Plan(*expr.target));
    for (const ExprPtr& arg : expr.args) args.push_back(Plan(*arg));
    const std::string& name = expr.function->name;
    if (name == "_&&_" || name == "_||_") {
      auto logic = std::make_unique<And>();
      logic->is_or = name == "_||_";
      logic->terms = std::move(args);
      return logic;
    }
    if (name == "_?_:_") return Conditional(std::move(args));
    if (name == "_==_" || name == "_!=_") {
      auto equality = std::make_unique<Equality>();
      equality->left = std::move(args[0]);
      equality->right = std::move(args[1]);
      equality->negated = name == "_!=_";
      return equality;
    }
    if (name == "_[_]") return Index(std::move(args), false);
    if (name == "_[?_]" || name == "_?._") return Index(std::move(args), true);
    if ((name == "or" || name == "orValue") && args.size() == 2) {
      auto either = std::make_unique<OptionalOr>();
      either->left = std::move(args[0]);
      either->right = std::move(args[1]);
      either->value = name == "orValue";
      return either;
    }
    return Function(expr, std::move(args));
  }

  NodePtr Function(const Expr& expr, std::vector<NodePtr> args) {
    auto call = std::make_unique<Call>();
    call->function = expr.function;
    if (expr.overloads.size() == 1) call->overload = expr.overloads[0];
    const std::string_view overload = call->overload ? std::string_view(call->overload->id) : "";
    call->cost = FindCallCost(expr.function->name, overload);
    call->args = std::move(args);
    if (overload == "in_list")
      if (const Value* list = call->args[1]->constant())
        if (NodePtr membership = MembershipIn(*list, *call)) return membership;
    const std::string& name = expr.function->name;
    if (call->args.size() == 1 && std::ranges::find(kConversions, name) != std::end(kConversions))
      if (const Value* constant = call->args[0]->constant()) return Folded(*call, *constant);
    if ((name == "matches" || name == "find" || name == "findAll") && call->args.size() >= 2)
      CompilePattern(*call);
    return call;
  }

  // Null: the list has more than plain values in it.
  static NodePtr MembershipIn(const Value& list, Call& call) {
    using Kind = Value::Kind;
    if (!list.is(Kind::kList)) return nullptr;
    if (list.list().size() == 0) return std::make_unique<Constant>(Value::Bool(false));
    for (size_t i = 0; i < list.list().size(); ++i) {
      const Kind kind = list.list().At(i).kind();
      if (kind != Kind::kBool && kind != Kind::kInt && kind != Kind::kUint && kind != Kind::kDouble &&
          kind != Kind::kString)
        return nullptr;
    }
    auto membership = std::make_unique<Membership>();
    membership->item = std::move(call.args[0]);
    membership->list = list;
    return membership;
  }

  static NodePtr Folded(const Call& call, const Value& constant) {
    Value value = call.Apply({&constant, 1});
    if (value.is_error()) throw Refused{std::string(value.text())};
    return std::make_unique<Constant>(std::move(value));
  }

  static void CompilePattern(Call& call) {
    const Value* pattern = call.args[1]->constant();
    if (!pattern || !pattern->is(Value::Kind::kString)) return;
    auto regex = base::Regex::Compile(pattern->text());
    if (!regex) throw Refused{regex.error()};
    call.regex = std::move(*regex);
  }

  static bool AllConstant(const std::vector<NodePtr>& nodes) {
    return std::ranges::all_of(nodes, [](const NodePtr& node) { return node->constant() != nullptr; });
  }
  // What a node of constants evaluates to.
  static NodePtr Literal(const Node& node) {
    const RunOptions options;
    Frame frame({}, 0, options);
    return std::make_unique<Constant>(node.Eval(frame));
  }

  NodePtr List(const Expr& expr) {
    auto list = std::make_unique<MakeList>();
    for (const ExprPtr& item : expr.args) list->items.push_back(Plan(*item));
    list->optional = expr.optional;
    if (AllConstant(list->items)) return Literal(*list);
    return list;
  }

  NodePtr Map(const Expr& expr) {
    auto map = std::make_unique<MakeMap>();
    for (const Entry& entry : expr.entries) {
      map->keys.push_back(Plan(*entry.key));
      map->values.push_back(Plan(*entry.value));
      map->optional.push_back(entry.optional);
    }
    if (AllConstant(map->keys) && AllConstant(map->values)) return Literal(*map);
    return map;
  }

  NodePtr Object(const Expr& expr) {
    auto object = std::make_unique<MakeObject>();
    object->types = env_.FindStruct(expr.name);
    object->name = expr.name;
    for (const Entry& entry : expr.entries) {
      object->fields.push_back(entry.field);
      object->values.push_back(Plan(*entry.value));
      object->optional.push_back(entry.optional);
    }
    return object;
  }

  size_t NewLocal(std::string name) {
    const size_t index = locals_++;
    most_locals_ = std::max(most_locals_, locals_);
    scope_.push_back({std::move(name), index});
    return index;
  }

  NodePtr PlanFold(const Expr& expr) {
    const Comprehension& c = *expr.comprehension;
    auto fold = std::make_unique<Fold>();
    fold->range = Plan(*c.range);
    fold->init = Plan(*c.init);
    const size_t scope = scope_.size(), locals = locals_;
    fold->accumulator = NewLocal(c.accumulator);
    const size_t inner = scope_.size();
    fold->variable = NewLocal(c.variable);
    fold->two = !c.variable2.empty();
    if (fold->two) fold->variable2 = NewLocal(c.variable2);
    fold->condition = Plan(*c.condition);
    fold->step = Plan(*c.step);
    scope_.erase(scope_.begin() + static_cast<ptrdiff_t>(inner), scope_.end());
    fold->result = Plan(*c.result);
    scope_.erase(scope_.begin() + static_cast<ptrdiff_t>(scope), scope_.end());
    locals_ = locals;
    return fold;
  }

  const Environment& env_;
  std::vector<Local> scope_;
  size_t locals_ = 0, most_locals_ = 0;
};

}  // namespace
}  // namespace plan

base::Result<Program, std::string> Program::Plan(const Checked& expression, const Environment& environment) {
  plan::Planner planner(environment);
  try {
    plan::NodePtr root = planner.Plan(*expression.root);
    return Program(std::move(root), planner.locals());
  } catch (const plan::Refused& refused) {
    return base::Err(refused.why);
  }
}

Outcome Program::Run(std::span<const Value> variables, const RunOptions& options) const {
  plan::Frame frame(variables, locals_, options);
  Outcome outcome;
  try {
    outcome.value = root_->Eval(frame);
  } catch (const plan::CostExceeded&) {
    outcome.value = Value::Error("operation cancelled: actual cost limit exceeded");
    outcome.cost_exceeded = true;
  } catch (const plan::Interrupted&) {
    outcome.value = Value::Error("operation interrupted");
  }
  outcome.cost = frame.cost;
  return outcome;
}

}  // namespace keelson::cel
