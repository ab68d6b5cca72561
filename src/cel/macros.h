// Macros: calls that stand for a larger expression and are replaced by it while parsing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"

namespace keelson::cel {

// The name of the variable that comprehensions accumulate in; no expression can spell it.
constexpr std::string_view kAccumulator = "@result";

// Makes expressions that are where the macro was called.
class MacroBuilder {
 public:
  MacroBuilder(Positions& positions, int32_t offset) : positions_(positions), offset_(offset) {}

  ExprPtr Literal(Value value);
  ExprPtr Ident(std::string_view name);
  ExprPtr Accumulator() { return Ident(kAccumulator); }
  ExprPtr List(std::vector<ExprPtr> items);
  ExprPtr EmptyMap();
  ExprPtr Call(std::string_view function, std::vector<ExprPtr> args);
  ExprPtr MemberCall(std::string_view function, ExprPtr target, std::vector<ExprPtr> args);
  ExprPtr PresenceTest(ExprPtr operand, std::string_view field);
  ExprPtr Fold(Comprehension parts);
  // With ids of its own, at the places of the original.
  ExprPtr Copy(const Expr& expr);

 private:
  ExprPtr New(Expr::Kind kind);

  Positions& positions_;
  int32_t offset_;
};

struct MacroError {
  int64_t id = 0;  // of the argument that is wrong
  std::string message;
};

// Consumes target and arguments. Null: `error` says why.
using MacroExpander = ExprPtr (*)(MacroBuilder& make, ExprPtr target, std::span<ExprPtr> args,
                                  MacroError& error);

struct Macro {
  std::string_view function;
  size_t args;
  bool member;
  MacroExpander expand;
  std::string_view target = "";  // the one name it may be called on; empty: anything
};

// Those of the language.
std::span<const Macro> StandardMacros();
// optMap, optFlatMap.
std::span<const Macro> OptionalMacros();
// With two variables: all, exists, transformList, …
std::span<const Macro> TwoVariableMacros();
// sortBy
std::span<const Macro> ListMacros();
// cel.bind
std::span<const Macro> BindMacros();

}  // namespace keelson::cel
