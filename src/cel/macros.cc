#include "cel/macros.h"

namespace keelson::cel {
namespace {

template <class... Parts>
std::vector<ExprPtr> Exprs(Parts... parts) {
  std::vector<ExprPtr> list;
  (list.push_back(std::move(parts)), ...);
  return list;
}

ExprPtr Fail(MacroError& error, const Expr& at, std::string message) {
  error = {at.id, std::move(message)};
  return nullptr;
}

constexpr std::string_view kNotSimple = "argument must be a simple name";
constexpr std::string_view kNotIdentifier = "argument is not an identifier";

// The name of a variable that a macro declares; empty: `error` says why not.
std::string Variable(const Expr& arg, std::string_view otherwise, MacroError& error) {
  if (arg.kind != ExprKind::kIdent) {
    Fail(error, arg, std::string(otherwise));
    return "";
  }
  if (arg.name == kAccumulator || arg.name == "__result__") {
    Fail(error, arg, "iteration variable overwrites accumulator variable");
    return "";
  }
  return arg.name;
}

// The variables of a comprehension, the second only where there are two.
struct Variables {
  std::string first, second;
};

enum class Quantifier { kAll, kExists, kExistsOne };

ExprPtr Quantify(Quantifier kind, MacroBuilder& make, ExprPtr target, Variables variables,
                 ExprPtr predicate) {
  Comprehension c;
  c.range = std::move(target);
  c.variable = std::move(variables.first);
  c.variable2 = std::move(variables.second);
  switch (kind) {
    case Quantifier::kAll:
      c.init = make.Literal(Value::Bool(true));
      c.condition = make.Call("@not_strictly_false", Exprs(make.Accumulator()));
      c.step = make.Call("_&&_", Exprs(make.Accumulator(), std::move(predicate)));
      c.result = make.Accumulator();
      break;
    case Quantifier::kExists:
      c.init = make.Literal(Value::Bool(false));
      c.condition = make.Call("@not_strictly_false", Exprs(make.Call("!_", Exprs(make.Accumulator()))));
      c.step = make.Call("_||_", Exprs(make.Accumulator(), std::move(predicate)));
      c.result = make.Accumulator();
      break;
    case Quantifier::kExistsOne:
      c.init = make.Literal(Value::Int(0));
      c.condition = make.Literal(Value::Bool(true));
      c.step =
          make.Call("_?_:_", Exprs(std::move(predicate),
                                   make.Call("_+_", Exprs(make.Accumulator(), make.Literal(Value::Int(1)))),
                                   make.Accumulator()));
      c.result = make.Call("_==_", Exprs(make.Accumulator(), make.Literal(Value::Int(1))));
      break;
  }
  return make.Fold(std::move(c));
}

template <Quantifier kind>
ExprPtr QuantifyOne(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  std::string variable = Variable(*args[0], kNotSimple, error);
  if (variable.empty()) return nullptr;
  return Quantify(kind, make, std::move(target), {std::move(variable), ""}, std::move(args[1]));
}

// Collects what `step` makes into the accumulator, where `filter` holds or is null.
ExprPtr Collect(MacroBuilder& make, ExprPtr target, Variables variables, ExprPtr init, ExprPtr filter,
                ExprPtr step) {
  Comprehension c;
  c.range = std::move(target);
  c.variable = std::move(variables.first);
  c.variable2 = std::move(variables.second);
  c.init = std::move(init);
  c.condition = make.Literal(Value::Bool(true));
  c.step = filter ? make.Call("_?_:_", Exprs(std::move(filter), std::move(step), make.Accumulator()))
                  : std::move(step);
  c.result = make.Accumulator();
  return make.Fold(std::move(c));
}

ExprPtr Append(MacroBuilder& make, ExprPtr item) {
  return make.Call("_+_", Exprs(make.Accumulator(), make.List(Exprs(std::move(item)))));
}

ExprPtr ExpandMap(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  std::string variable = Variable(*args[0], kNotIdentifier, error);
  if (variable.empty()) return nullptr;
  ExprPtr filter = args.size() == 3 ? std::move(args[1]) : nullptr;
  ExprPtr init = make.List({});
  return Collect(make, std::move(target), {std::move(variable), ""}, std::move(init), std::move(filter),
                 Append(make, std::move(args.back())));
}

ExprPtr ExpandFilter(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  std::string variable = Variable(*args[0], kNotIdentifier, error);
  if (variable.empty()) return nullptr;
  ExprPtr init = make.List({});
  return Collect(make, std::move(target), {std::move(variable), ""}, std::move(init), std::move(args[1]),
                 Append(make, std::move(args[0])));
}

ExprPtr ExpandHas(MacroBuilder& make, ExprPtr, std::span<ExprPtr> args, MacroError& error) {
  if (args[0]->kind != ExprKind::kSelect) return Fail(error, *args[0], "invalid argument to has() macro");
  return make.PresenceTest(std::move(args[0]->target), args[0]->name);
}

std::optional<Variables> TwoVariables(std::span<ExprPtr> args, MacroError& error) {
  for (const size_t i : {0, 1})
    if (args[i]->kind != ExprKind::kIdent) {
      Fail(error, *args[i], std::string(kNotSimple));
      return std::nullopt;
    }
  if (args[0]->name == args[1]->name) {
    Fail(error, *args[1], "duplicate variable name: " + args[0]->name);
    return std::nullopt;
  }
  Variables variables{Variable(*args[0], kNotSimple, error), ""};
  if (variables.first.empty()) return std::nullopt;
  variables.second = Variable(*args[1], kNotSimple, error);
  if (variables.second.empty()) return std::nullopt;
  return variables;
}

template <Quantifier kind>
ExprPtr QuantifyTwo(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  auto variables = TwoVariables(args, error);
  if (!variables) return nullptr;
  return Quantify(kind, make, std::move(target), std::move(*variables), std::move(args[2]));
}

enum class Transform { kList, kMap, kMapEntry };

template <Transform kind>
ExprPtr ExpandTransform(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  auto variables = TwoVariables(args, error);
  if (!variables) return nullptr;
  ExprPtr filter = args.size() == 4 ? std::move(args[2]) : nullptr;
  ExprPtr init = kind == Transform::kList ? make.List({}) : make.EmptyMap();
  ExprPtr step;
  switch (kind) {
    case Transform::kList: step = Append(make, std::move(args.back())); break;
    case Transform::kMap:
      step = make.Call("cel.@mapInsert",
                       Exprs(make.Accumulator(), make.Ident(variables->first), std::move(args.back())));
      break;
    case Transform::kMapEntry:
      step = make.Call("cel.@mapInsert", Exprs(make.Accumulator(), std::move(args.back())));
      break;
  }
  return Collect(make, std::move(target), std::move(*variables), std::move(init), std::move(filter),
                 std::move(step));
}

// A comprehension over nothing, whose accumulator is a variable for `result`.
ExprPtr Bind(MacroBuilder& make, std::string variable, ExprPtr value, ExprPtr result) {
  Comprehension c;
  c.range = make.List({});
  c.variable = "#unused";
  c.accumulator = variable;
  c.init = std::move(value);
  c.condition = make.Literal(Value::Bool(false));
  c.step = make.Ident(variable);
  c.result = std::move(result);
  return make.Fold(std::move(c));
}

template <bool flat>
ExprPtr ExpandOptMap(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  if (args[0]->kind != ExprKind::kIdent)
    return Fail(
        error, *args[0],
        std::string(flat ? "optFlatMap()" : "optMap()") + " variable name must be a simple identifier");
  ExprPtr copy = make.Copy(*target);
  ExprPtr has = make.MemberCall("hasValue", std::move(target), {});
  ExprPtr value = make.MemberCall("value", std::move(copy), {});
  ExprPtr mapped = Bind(make, args[0]->name, std::move(value), std::move(args[1]));
  if (!flat) mapped = make.Call("optional.of", Exprs(std::move(mapped)));
  return make.Call("_?_:_", Exprs(std::move(has), std::move(mapped), make.Call("optional.none", {})));
}

ExprPtr ExpandSortBy(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args, MacroError& error) {
  constexpr std::string_view kInput = "@__sortBy_input__";
  if (target->kind != ExprKind::kList && target->kind != ExprKind::kSelect &&
      target->kind != ExprKind::kIdent && target->kind != ExprKind::kComprehension &&
      target->kind != ExprKind::kCall)
    return Fail(error, *target,
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
  ExprPtr keys = ExpandMap(make, make.Ident(kInput), args, error);
  if (!keys) return nullptr;
  ExprPtr sorted = make.MemberCall("@sortByAssociatedKeys", make.Ident(kInput), Exprs(std::move(keys)));
  return Bind(make, std::string(kInput), std::move(target), std::move(sorted));
}

ExprPtr ExpandBind(MacroBuilder& make, ExprPtr, std::span<ExprPtr> args, MacroError& error) {
  if (args[0]->kind != ExprKind::kIdent)
    return Fail(error, *args[0], "cel.bind() variable names must be simple identifiers");
  return Bind(make, args[0]->name, std::move(args[1]), std::move(args[2]));
}

}  // namespace

ExprPtr MacroBuilder::New(ExprKind kind) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->id = positions_.Add(offset_);
  return expr;
}

ExprPtr MacroBuilder::Literal(Value value) {
  ExprPtr expr = New(ExprKind::kLiteral);
  expr->literal = std::move(value);
  return expr;
}
ExprPtr MacroBuilder::Ident(std::string_view name) {
  ExprPtr expr = New(ExprKind::kIdent);
  expr->name = name;
  return expr;
}
ExprPtr MacroBuilder::List(std::vector<ExprPtr> items) {
  ExprPtr expr = New(ExprKind::kList);
  expr->args = std::move(items);
  return expr;
}
ExprPtr MacroBuilder::EmptyMap() { return New(ExprKind::kMap); }
ExprPtr MacroBuilder::Call(std::string_view function, std::vector<ExprPtr> args) {
  ExprPtr expr = New(ExprKind::kCall);
  expr->name = function;
  expr->args = std::move(args);
  return expr;
}
ExprPtr MacroBuilder::MemberCall(std::string_view function, ExprPtr target, std::vector<ExprPtr> args) {
  ExprPtr expr = Call(function, std::move(args));
  expr->member = true;
  expr->target = std::move(target);
  return expr;
}
ExprPtr MacroBuilder::PresenceTest(ExprPtr operand, std::string_view field) {
  ExprPtr expr = New(ExprKind::kSelect);
  expr->test_only = true;
  expr->name = field;
  expr->target = std::move(operand);
  return expr;
}
ExprPtr MacroBuilder::Fold(Comprehension parts) {
  ExprPtr expr = New(ExprKind::kComprehension);
  if (parts.accumulator.empty()) parts.accumulator = kAccumulator;
  expr->comprehension = std::make_unique<Comprehension>(std::move(parts));
  return expr;
}

ExprPtr MacroBuilder::Copy(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->id = positions_.Add(positions_.Offset(expr.id));
  copy->test_only = expr.test_only;
  copy->member = expr.member;
  copy->literal = expr.literal;
  copy->name = expr.name;
  copy->optional = expr.optional;
  if (expr.target) copy->target = Copy(*expr.target);
  for (const ExprPtr& arg : expr.args) copy->args.push_back(Copy(*arg));
  for (const Entry& entry : expr.entries)
    copy->entries.push_back({positions_.Add(positions_.Offset(entry.id)),
                             entry.key ? Copy(*entry.key) : nullptr, entry.field, Copy(*entry.value),
                             entry.optional});
  if (const Comprehension* c = expr.comprehension.get())
    copy->comprehension = std::make_unique<Comprehension>(
        Comprehension{Copy(*c->range), Copy(*c->init), Copy(*c->condition), Copy(*c->step), Copy(*c->result),
                      c->variable, c->variable2, c->accumulator});
  return copy;
}

std::span<const Macro> StandardMacros() {
  static constexpr Macro kMacros[] = {
      {"has", 1, false, ExpandHas},
      {"all", 2, true, QuantifyOne<Quantifier::kAll>},
      {"exists", 2, true, QuantifyOne<Quantifier::kExists>},
      {"exists_one", 2, true, QuantifyOne<Quantifier::kExistsOne>},
      {"map", 2, true, ExpandMap},
      {"map", 3, true, ExpandMap},
      {"filter", 2, true, ExpandFilter},
  };
  return kMacros;
}

std::span<const Macro> OptionalMacros() {
  static constexpr Macro kMacros[] = {
      {"optMap", 2, true, ExpandOptMap<false>},
      {"optFlatMap", 2, true, ExpandOptMap<true>},
  };
  return kMacros;
}

std::span<const Macro> TwoVariableMacros() {
  static constexpr Macro kMacros[] = {
      {"all", 3, true, QuantifyTwo<Quantifier::kAll>},
      {"exists", 3, true, QuantifyTwo<Quantifier::kExists>},
      {"existsOne", 3, true, QuantifyTwo<Quantifier::kExistsOne>},
      {"exists_one", 3, true, QuantifyTwo<Quantifier::kExistsOne>},
      {"transformList", 3, true, ExpandTransform<Transform::kList>},
      {"transformList", 4, true, ExpandTransform<Transform::kList>},
      {"transformMap", 3, true, ExpandTransform<Transform::kMap>},
      {"transformMap", 4, true, ExpandTransform<Transform::kMap>},
      {"transformMapEntry", 3, true, ExpandTransform<Transform::kMapEntry>},
      {"transformMapEntry", 4, true, ExpandTransform<Transform::kMapEntry>},
  };
  return kMacros;
}

std::span<const Macro> ListMacros() {
  static constexpr Macro kMacros[] = {{"sortBy", 2, true, ExpandSortBy}};
  return kMacros;
}

std::span<const Macro> BindMacros() {
  static constexpr Macro kMacros[] = {{"bind", 3, true, ExpandBind, "cel"}};
  return kMacros;
}

}  // namespace keelson::cel
