// Expr: an expression as a tree. The parser makes it, the checker writes types and the
// functions that are called into it, and programs are planned from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cel/source.h"
#include "cel/type.h"
#include "cel/value.h"

namespace keelson::cel {

struct Expr;
struct Function;
struct Overload;
using ExprPtr = std::unique_ptr<Expr>;

// An entry of a map, or a field of an object.
struct Entry {
  int64_t id = 0;
  ExprPtr key;        // of a map
  std::string field;  // of an object
  ExprPtr value;
  bool optional = false;
};

// One that goes over a range and accumulates a value; what macros expand to.
struct Comprehension {
  ExprPtr range, init, condition, step, result;
  std::string variable, variable2, accumulator;  // variable2 is empty where there is only one
};

struct Expr {
  enum class Kind : uint8_t { kNone, kLiteral, kIdent, kSelect, kCall, kList, kMap, kStruct, kComprehension };

  Kind kind = Kind::kNone;
  int64_t id = 0;
  bool test_only = false;      // a select that asks for presence
  bool member = false;         // a call with a target
  uint16_t depth = 0;          // of operators and selections below, for the parser
  Value literal;               // kLiteral
  std::string name;            // kIdent, kSelect (the field), kCall (the function), kStruct (the type)
  ExprPtr target;              // kSelect, kCall
  std::vector<ExprPtr> args;   // kCall, kList
  std::vector<bool> optional;  // kList, by element; empty where none is
  std::vector<Entry> entries;  // kMap, kStruct
  std::unique_ptr<Comprehension> comprehension;

  // What the checker found.
  TypeRef type;
  const Function* function = nullptr;
  std::vector<const Overload*> overloads;  // those that fit
  bool resolved = false;                   // an identifier, or a select that names one
};
using ExprKind = Expr::Kind;

// Where each expression is, by its id.
class Positions {
 public:
  int64_t Add(int32_t offset) {
    offsets_.push_back(offset);
    return static_cast<int64_t>(offsets_.size());
  }
  // -1: nowhere.
  int32_t Offset(int64_t id) const {
    return id < 1 || static_cast<size_t>(id) > offsets_.size() ? -1 : offsets_[id - 1];
  }
  Location Find(int64_t id, const Source& source) const {
    const int32_t offset = Offset(id);
    return offset < 0 ? kNoLocation : source.LocationOf(static_cast<size_t>(offset));
  }

 private:
  std::vector<int32_t> offsets_;
};

// "a.b.c" where the expression is names joined by points; else empty.
std::string QualifiedName(const Expr& expr);

// Calls `visit` for `expr` and all below it, parents before their parts.
template <class Visit>
void Walk(const Expr& expr, const Visit& visit) {
  visit(expr);
  if (expr.target) Walk(*expr.target, visit);
  for (const ExprPtr& arg : expr.args) Walk(*arg, visit);
  for (const Entry& entry : expr.entries) {
    if (entry.key) Walk(*entry.key, visit);
    if (entry.value) Walk(*entry.value, visit);
  }
  if (const Comprehension* c = expr.comprehension.get())
    for (const Expr* part :
         {c->range.get(), c->init.get(), c->condition.get(), c->step.get(), c->result.get()})
      Walk(*part, visit);
}

}  // namespace keelson::cel
