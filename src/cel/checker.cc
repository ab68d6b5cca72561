#include "cel/checker.h"

#include "cel/inference.h"

namespace keelson::cel {
namespace {

bool IsDyn(const Type& type) { return type.is(TypeKind::kDyn); }

std::string Signature(std::span<const TypeRef> args, bool member) {
  std::string text;
  if (member) {
    text = FormatType(*args[0]) + ".";
    args = args.subspan(1);
  }
  text += "(";
  for (size_t i = 0; i < args.size(); ++i) text.append(i > 0 ? ", " : "").append(FormatType(*args[i]));
  return text + ")";
}

class Checker {
 public:
  Checker(Checked& expression, const Environment& environment, Issues& issues)
      : checked_(expression), env_(environment), issues_(issues) {}

  void Run() {
    Visit(*checked_.root);
    Finish(*checked_.root);
  }

 private:
  void Report(int64_t id, std::string message) {
    issues_.Add(checked_.positions.Find(id, checked_.source), std::move(message));
  }
  void Undeclared(const Expr& expr, std::string_view name) {
    Report(expr.id, "undeclared reference to '" + std::string(name) + "' (in container '')");
  }
  void Mismatch(const Expr& expr, const Type& expected, const Type& found) {
    Report(expr.id, "expected type '" + FormatType(expected) + "' but found '" + FormatType(found) + "'");
  }

  // Variables of types are replaced by what they came to stand for.
  void Finish(Expr& expr) {
    if (expr.type) expr.type = types_.Substitute(expr.type, true);
    if (expr.target) Finish(*expr.target);
    for (ExprPtr& arg : expr.args) Finish(*arg);
    for (Entry& entry : expr.entries) {
      if (entry.key) Finish(*entry.key);
      Finish(*entry.value);
    }
    if (Comprehension* c = expr.comprehension.get())
      for (Expr* part : {c->range.get(), c->init.get(), c->condition.get(), c->step.get(), c->result.get()})
        Finish(*part);
  }

  void Visit(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kNone: expr.type = types::Error(); return;
      case ExprKind::kLiteral: expr.type = TypeOf(expr.literal); return;
      case ExprKind::kIdent: return Ident(expr);
      case ExprKind::kSelect: return Select(expr);
      case ExprKind::kCall: return Call(expr);
      case ExprKind::kList: return List(expr);
      case ExprKind::kMap: return Map(expr);
      case ExprKind::kStruct: return Struct(expr);
      case ExprKind::kComprehension: return Fold(expr);
    }
  }

  // The type of an identifier; null: unknown. A name in a comprehension hides the others.
  TypeRef LookUp(std::string_view& name) {
    if (name.starts_with('.')) name.remove_prefix(1);
    for (size_t i = scope_.size(); i-- > 0;)
      if (scope_[i].name == name) return scope_[i].type;
    if (const int variable = env_.FindVariable(name); variable >= 0) return env_.variables()[variable].type;
    if (TypeRef type = env_.FindType(name)) return types::TypeOf(std::move(type));
    return nullptr;
  }

  void Ident(Expr& expr) {
    std::string_view name = expr.name;
    if (TypeRef type = LookUp(name)) {
      expr.type = std::move(type);
      expr.name = std::string(name);
      expr.resolved = true;
      return;
    }
    expr.type = types::Error();
    Undeclared(expr, expr.name);
  }

  void Select(Expr& expr) {
    // Names with points in them come before fields.
    if (const std::string qualified = QualifiedName(expr); !qualified.empty()) {
      std::string_view name = qualified;
      if (TypeRef type = LookUp(name)) {
        expr.kind = ExprKind::kIdent;
        expr.type = std::move(type);
        expr.name = std::string(name);
        expr.target.reset();
        expr.resolved = true;
        return;
      }
    }
    TypeRef type = FieldOf(expr, *expr.target, expr.name, false);
    expr.type = expr.test_only ? types::Bool() : types_.Substitute(type, false);
  }

  TypeRef FieldOf(const Expr& expr, Expr& operand, const std::string& field, bool optional) {
    Visit(operand);
    TypeRef target = types_.Substitute(operand.type, false);
    if (target->IsOptional()) {
      optional = true;
      target = target->parameter(0);
    }
    TypeRef result = types::Dyn();
    switch (target->kind()) {
      case TypeKind::kMap: result = target->parameter(1); break;
      case TypeKind::kStruct:
        result = StructField(expr.id, target->name(), field);
        if (!result) result = types::Error();
        break;
      case TypeKind::kTypeParam: types_.Assign(types::Dyn(), target); break;
      case TypeKind::kDyn:
      case TypeKind::kError: break;
      default: Report(expr.id, "type '" + FormatType(*target) + "' does not support field selection");
    }
    return optional ? types::Optional(std::move(result)) : result;
  }

  TypeRef StructField(int64_t id, const std::string& type, const std::string& field) {
    const StructTypes* const structs = env_.FindStruct(type);
    if (!structs) {
      Report(id, "unexpected failed resolution of '" + type + "'");
      return nullptr;
    }
    TypeRef found = structs->Field(type, field);
    if (!found) Report(id, "undefined field '" + field + "'");
    return found;
  }

  void OptionalSelect(Expr& expr) {
    const Expr& field = *expr.args[1];
    TypeRef type = FieldOf(expr, *expr.args[0], std::string(field.literal.text()), true);
    expr.args[1]->type = types::String();
    expr.type = types_.Substitute(type, false);
    expr.function = env_.FindFunction(expr.name);
  }

  void Call(Expr& expr) {
    if (expr.name == "_?._") return OptionalSelect(expr);
    for (ExprPtr& arg : expr.args) Visit(*arg);
    if (expr.member) {
      // A target that is a name may be the first part of the function's.
      if (const std::string prefix = QualifiedName(*expr.target); !prefix.empty()) {
        std::string name = prefix + "." + expr.name;
        if (name.starts_with('.')) name.erase(0, 1);
        if (const Function* function = env_.FindFunction(name)) {
          expr.member = false;
          expr.target.reset();
          expr.name = name;
          return Resolve(expr, *function);
        }
      }
      Visit(*expr.target);
    } else if (expr.name.starts_with('.')) {
      if (env_.FindFunction(std::string_view(expr.name).substr(1))) expr.name.erase(0, 1);
    }
    if (const Function* function = env_.FindFunction(expr.name)) return Resolve(expr, *function);
    expr.type = types::Error();
    Undeclared(expr, expr.name);
  }

  void Resolve(Expr& expr, const Function& function) {
    expr.function = &function;
    std::vector<TypeRef> args;
    if (expr.member) args.push_back(expr.target->type);
    for (const ExprPtr& arg : expr.args) args.push_back(arg->type);
    if (function.name == "_&&_" || function.name == "_||_") return Logical(expr, function, args);

    TypeRef result;
    for (const Overload& overload : function.overloads) {
      if (overload.member != expr.member) continue;
      std::vector<TypeRef> wanted = overload.args;
      TypeRef gives = overload.result;
      if (!overload.type_parameters.empty()) {
        std::map<std::string, TypeRef, std::less<>> fresh;
        for (const std::string& name : overload.type_parameters) fresh[name] = types_.NewVariable();
        for (TypeRef& type : wanted) type = Instantiate(type, fresh);
        gives = Instantiate(gives, fresh);
      }
      if (!types_.AssignAll(args, wanted)) continue;
      expr.overloads.push_back(&overload);
      gives = types_.Substitute(gives, false);
      if (!result) {
        result = gives;
      } else if (!IsDyn(*result) && !SameType(*gives, *result)) {
        result = types::Dyn();
      }
    }
    if (result) {
      expr.type = result;
      return;
    }
    for (TypeRef& arg : args) arg = types_.Substitute(arg, true);
    Report(expr.id, "found no matching overload for '" + function.name + "' applied to '" +
                        Signature(args, expr.member) + "'");
    expr.type = types::Error();
  }

  void Logical(Expr& expr, const Function& function, const std::vector<TypeRef>& args) {
    bool right = true;
    for (size_t i = 0; i < args.size(); ++i) {
      if (types_.Assign(args[i], types::Bool())) continue;
      Mismatch(*expr.args[i], *types::Bool(), *args[i]);
      right = false;
    }
    if (right) expr.overloads.push_back(&function.overloads[0]);
    expr.type = right ? types::Bool() : types::Error();
  }

  // The inner type of an element or entry that is marked as optional.
  TypeRef Unwrapped(const Expr& expr) {
    if (expr.type->IsOptional()) return expr.type->parameter(0);
    if (!IsDyn(*expr.type)) Mismatch(expr, *types::Optional(expr.type), *expr.type);
    return expr.type;
  }

  // The most general type of what was before and what comes now; null before the first.
  TypeRef Join(const TypeRef& previous, const TypeRef& current) {
    if (!previous) return current;
    return types_.Assign(previous, current) ? MoreGeneral(previous, current) : types::Dyn();
  }

  void List(Expr& expr) {
    TypeRef element;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Expr& item = *expr.args[i];
      Visit(item);
      const bool optional = i < expr.optional.size() && expr.optional[i];
      element = Join(element, optional ? Unwrapped(item) : item.type);
    }
    expr.type = types::ListOf(element ? element : types_.NewVariable());
  }

  void Map(Expr& expr) {
    TypeRef key, value;
    for (Entry& entry : expr.entries) {
      Visit(*entry.key);
      key = Join(key, entry.key->type);
      Visit(*entry.value);
      value = Join(value, entry.optional ? Unwrapped(*entry.value) : entry.value->type);
    }
    if (!key) {
      key = types_.NewVariable();
      value = types_.NewVariable();
    }
    expr.type = types::MapOf(key, value);
  }

  void Struct(Expr& expr) {
    std::string_view name = expr.name;
    const TypeRef found = LookUp(name);
    if (!found) {
      Undeclared(expr, expr.name);
      expr.type = types::Error();
      for (Entry& entry : expr.entries) Forget(*entry.value);
      return;
    }
    expr.name = std::string(name);
    expr.type = types::Error();
    if (!found->is(TypeKind::kType)) {
      Report(expr.id, "'" + FormatType(*found) + "' is not a type");
    } else if (found->parameters().empty() || !found->parameter(0)->is(TypeKind::kStruct)) {
      Report(expr.id, "'" + (found->parameters().empty() ? "type" : found->parameter(0)->name()) +
                          "' is not a message type");
    } else {
      expr.type = found->parameter(0);
    }
    for (Entry& entry : expr.entries) {
      Visit(*entry.value);
      TypeRef field = StructField(entry.id, expr.name, entry.field);
      if (!field) field = types::Error();
      const TypeRef value = entry.optional ? Unwrapped(*entry.value) : entry.value->type;
      if (!types_.Assign(field, value))
        Report(entry.id, "expected type of field '" + entry.field + "' is '" + FormatType(*field) +
                             "' but provided type is '" + FormatType(*value) + "'");
    }
  }
  void Forget(Expr& expr) { expr.type = types::Error(); }

  void Fold(Expr& expr) {
    Comprehension& c = *expr.comprehension;
    Visit(*c.range);
    Visit(*c.init);
    const TypeRef range = types_.Substitute(c.range->type, false);
    const TypeRef accumulated = c.init->type;
    const bool two = !c.variable2.empty();
    TypeRef first, second;
    switch (range->kind()) {
      case TypeKind::kList:
        first = two ? types::Int() : range->parameter(0);
        second = range->parameter(0);
        break;
      case TypeKind::kMap:
        first = range->parameter(0);
        second = range->parameter(1);
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kTypeParam:
        types_.Assign(types::Dyn(), range);
        first = second = types::Dyn();
        break;
      default:
        Report(c.range->id, "expression of type '" + FormatType(*range) +
                                "' cannot be range of a comprehension (must be list, map, or dynamic)");
        first = second = types::Error();
    }
    const size_t outer = scope_.size();
    scope_.push_back({c.accumulator, accumulated});
    const size_t inner = scope_.size();
    scope_.push_back({c.variable, first});
    if (two) scope_.push_back({c.variable2, second});
    Visit(*c.condition);
    Assert(*c.condition, types::Bool());
    Visit(*c.step);
    Assert(*c.step, accumulated);
    scope_.resize(inner);
    Visit(*c.result);
    scope_.resize(outer);
    expr.type = types_.Substitute(c.result->type, false);
  }

  void Assert(const Expr& expr, const TypeRef& wanted) {
    if (!types_.Assign(wanted, expr.type)) Mismatch(expr, *wanted, *expr.type);
  }

  Checked& checked_;
  const Environment& env_;
  Issues& issues_;
  Inference types_;
  std::vector<Variable> scope_;  // of comprehensions, innermost last
};

}  // namespace

void Check(Checked& expression, const Environment& environment, Issues& issues) {
  Checker(expression, environment, issues).Run();
}

}  // namespace keelson::cel
