// Inference: which types the checker's variables stand for, and whether one type may be
// given where another is wanted.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cel/type.h"

namespace keelson::cel {

class Inference {
 public:
  // A variable that stands for nothing yet.
  TypeRef NewVariable();

  // Whether `given` may be used as `wanted`. If so, variables are bound as that needs; if not,
  // nothing is changed.
  bool Assign(const TypeRef& given, const TypeRef& wanted);
  bool AssignAll(std::span<const TypeRef> given, std::span<const TypeRef> wanted);

  // With bound variables replaced, and the free ones too (by dyn) if asked to.
  TypeRef Substitute(const TypeRef& type, bool free_to_dyn) const;

 private:
  using Bindings = std::map<std::string, TypeRef, std::less<>>;
  struct Change {
    std::string name;
    TypeRef was;  // null: it was free
  };

  bool Assignable(const TypeRef& a, const TypeRef& b);
  bool AllAssignable(std::span<const TypeRef> a, std::span<const TypeRef> b);
  struct Outcome {
    bool valid, bound;
  };
  Outcome Bind(const TypeRef& type, const TypeRef& variable);
  bool Occurs(const Type& variable, const Type& within) const;
  void Set(const std::string& name, TypeRef type);
  void Undo(size_t mark);

  Bindings bindings_;
  std::vector<Change> changes_;
  size_t variables_ = 0;
};

// The less specific of two types that fit each other.
const TypeRef& MoreGeneral(const TypeRef& a, const TypeRef& b);

// A type with its parameters replaced by name.
TypeRef Instantiate(const TypeRef& type, const std::map<std::string, TypeRef, std::less<>>& parameters);

}  // namespace keelson::cel
