#include "cel/literal_checks.h"

#include "base/regex.h"
#include "cel/functions/conversions.h"
#include "cel/functions/format.h"

namespace keelson::cel {
namespace {

class LiteralChecks {
 public:
  LiteralChecks(const Checked& expression, Issues& issues) : checked_(expression), issues_(issues) {}

  void Run() {
    for (const std::string_view function : {"duration", "timestamp", "matches"})
      Walk(*checked_.root, [&](const Expr& expr) { Argument(expr, function); });
    Homogeneous(*checked_.root, false);
    Walk(*checked_.root, [&](const Expr& expr) { Format(expr); });
  }

 private:
  void Report(int64_t id, std::string message) {
    issues_.Add(checked_.positions.Find(id, checked_.source), std::move(message));
  }

  // The first argument of a call, where it is a literal.
  void Argument(const Expr& expr, std::string_view function) {
    if (expr.kind != ExprKind::kCall || expr.name != function || expr.args.empty()) return;
    const Expr& arg = *expr.args[0];
    if (arg.kind != ExprKind::kLiteral) return;
    const bool wrong = function == "duration" ? ToDuration(arg.literal).is_error()
                       : function == "timestamp"
                           ? ToTimestamp(arg.literal).is_error()
                           : !arg.literal.is(ValueKind::kString) || !base::Regex::Compile(arg.literal.text());
    if (wrong) Report(arg.id, "invalid " + std::string(function) + " argument");
  }

  void Mismatch(const Expr& expr, const Type& expected, const Type& found) {
    Report(expr.id, "expected type '" + FormatType(expected) + "' but found '" + FormatType(found) + "'");
  }

  static const Type& ElementType(const Expr& item, bool optional) {
    return optional && !item.type->parameters().empty() ? *item.type->parameter(0) : *item.type;
  }

  // Arguments of format may be of any types.
  void Homogeneous(const Expr& expr, bool exempt) {
    if (!exempt && expr.kind == ExprKind::kList) List(expr);
    if (!exempt && expr.kind == ExprKind::kMap) Map(expr);
    const bool below = exempt || (expr.kind == ExprKind::kCall && expr.name == "format");
    if (expr.target) Homogeneous(*expr.target, below);
    for (const ExprPtr& arg : expr.args) Homogeneous(*arg, below);
    for (const Entry& entry : expr.entries) {
      if (entry.key) Homogeneous(*entry.key, below);
      Homogeneous(*entry.value, below);
    }
    if (const Comprehension* c = expr.comprehension.get())
      for (const Expr* part :
           {c->range.get(), c->init.get(), c->condition.get(), c->step.get(), c->result.get()})
        Homogeneous(*part, below);
  }

  void List(const Expr& expr) {
    const Type* type = nullptr;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const Type& now = ElementType(*expr.args[i], i < expr.optional.size() && expr.optional[i]);
      if (!type) {
        type = &now;
      } else if (!SameType(*type, now)) {
        return Mismatch(*expr.args[i], *type, now);
      }
    }
  }

  void Map(const Expr& expr) {
    const Type *key = nullptr, *value = nullptr;
    for (const Entry& entry : expr.entries) {
      const Type& now = ElementType(*entry.value, entry.optional);
      if (!key) {
        key = entry.key->type.get();
        value = &now;
        continue;
      }
      if (!SameType(*key, *entry.key->type)) Mismatch(*entry.key, *key, *entry.key->type);
      if (!SameType(*value, now)) Mismatch(*entry.value, *value, now);
    }
  }

  static bool OneOf(const Type& type, std::initializer_list<TypeKind> kinds) {
    if (type.is(TypeKind::kDyn)) return true;
    for (const TypeKind kind : kinds)
      if (type.is(kind)) return true;
    return false;
  }

  // The first part of a value that %s cannot show; null: it can show all of it.
  static const Expr* NotText(const Expr& expr) {
    using K = TypeKind;
    if (!OneOf(*expr.type, {K::kList, K::kMap, K::kInt, K::kUint, K::kDouble, K::kBool, K::kString,
                            K::kTimestamp, K::kBytes, K::kDuration, K::kType, K::kNull}))
      return &expr;
    if (expr.kind == ExprKind::kList)
      for (const ExprPtr& item : expr.args)
        if (const Expr* bad = NotText(*item)) return bad;
    if (expr.kind == ExprKind::kMap)
      for (const Entry& entry : expr.entries)
        for (const Expr* part : {entry.key.get(), entry.value.get()})
          if (const Expr* bad = NotText(*part)) return bad;
    return nullptr;
  }

  static const Expr* BadArgument(char verb, const Expr& arg) {
    using K = TypeKind;
    if (verb == 's') return NotText(arg);
    bool fits = false;
    switch (verb) {
      case 'f':
      case 'e': fits = OneOf(*arg.type, {K::kDouble, K::kString}); break;
      case 'b': fits = OneOf(*arg.type, {K::kInt, K::kUint, K::kBool}); break;
      case 'x':
      case 'X': fits = OneOf(*arg.type, {K::kInt, K::kUint, K::kString, K::kBytes}); break;
      default: fits = OneOf(*arg.type, {K::kInt, K::kUint});
    }
    return fits ? nullptr : &arg;
  }

  void Format(const Expr& expr) {
    if (expr.kind != ExprKind::kCall || expr.name != "format" || !expr.member || expr.args.size() != 1)
      return;
    if (expr.target->kind != ExprKind::kLiteral || !expr.target->literal.is(ValueKind::kString)) return;
    if (expr.args[0]->kind != ExprKind::kList) return;
    const std::vector<ExprPtr>& args = expr.args[0]->args;
    std::string ignored;
    size_t seen = 0;
    int64_t at = expr.id;
    const std::string error = ForEachClause(
        expr.target->literal.text(), args.size(), ignored,
        [&](const FormatClause& clause, std::string&) -> std::string {
          const Expr* bad = BadArgument(clause.verb, *args[clause.argument]);
          if (!bad) return "";
          at = bad->id;
          return WrongTypeFor(clause.verb, bad->type->name());
        },
        &seen, true);
    if (!error.empty()) {
      Report(at, error);
    } else if (args.size() > seen) {
      Report(expr.id, "too many arguments supplied to string.format (expected " + std::to_string(seen) +
                          ", got " + std::to_string(args.size()) + ")");
    }
  }

  const Checked& checked_;
  Issues& issues_;
};

}  // namespace

void CheckLiterals(const Checked& expression, Issues& issues) { LiteralChecks(expression, issues).Run(); }

}  // namespace keelson::cel
