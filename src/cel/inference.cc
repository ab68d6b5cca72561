#include "cel/inference.h"

namespace keelson::cel {
namespace {

bool IsWild(const Type& type) { return type.is(TypeKind::kDyn) || type.is(TypeKind::kError); }

// Null may be given for these.
bool IsNullable(const Type& type) {
  return type.is(TypeKind::kOpaque) || type.is(TypeKind::kStruct) || type.is(TypeKind::kDuration) ||
         type.is(TypeKind::kTimestamp) || type.is(TypeKind::kNull);
}

bool IsEqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.is(TypeKind::kDyn) || a.is(TypeKind::kTypeParam)) return true;
  if (b.is(TypeKind::kDyn) || b.is(TypeKind::kTypeParam) || a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      if (a.name() != b.name() || a.parameters().size() != b.parameters().size()) return false;
      for (size_t i = 0; i < a.parameters().size(); ++i)
        if (!IsEqualOrLessSpecific(*a.parameter(i), *b.parameter(i))) return false;
      return true;
    case TypeKind::kType: return true;
    default: return SameType(a, b);
  }
}

template <class Replace>
TypeRef WithParameters(const TypeRef& type, const Replace& replace) {
  if (type->parameters().empty()) return type;
  std::vector<TypeRef> parameters;
  for (const TypeRef& parameter : type->parameters()) parameters.push_back(replace(parameter));
  return std::make_shared<const Type>(type->kind(), type->name(), std::move(parameters));
}

}  // namespace

const TypeRef& MoreGeneral(const TypeRef& a, const TypeRef& b) {
  return IsEqualOrLessSpecific(*a, *b) ? a : b;
}

TypeRef Instantiate(const TypeRef& type, const std::map<std::string, TypeRef, std::less<>>& parameters) {
  if (type->is(TypeKind::kTypeParam)) {
    const auto found = parameters.find(type->name());
    return found == parameters.end() ? type : found->second;
  }
  return WithParameters(type, [&](const TypeRef& p) { return Instantiate(p, parameters); });
}

TypeRef Inference::NewVariable() { return types::Parameter("_var" + std::to_string(variables_++)); }

void Inference::Set(const std::string& name, TypeRef type) {
  TypeRef& slot = bindings_[name];
  changes_.push_back({name, slot});
  slot = std::move(type);
}

void Inference::Undo(size_t mark) {
  while (changes_.size() > mark) {
    Change& change = changes_.back();
    if (change.was) {
      bindings_[change.name] = std::move(change.was);
    } else {
      bindings_.erase(change.name);
    }
    changes_.pop_back();
  }
}

bool Inference::Assign(const TypeRef& given, const TypeRef& wanted) {
  const bool ok = Assignable(given, wanted);
  if (!ok) Undo(0);
  changes_.clear();
  return ok;
}

bool Inference::AssignAll(std::span<const TypeRef> given, std::span<const TypeRef> wanted) {
  const bool ok = AllAssignable(given, wanted);
  if (!ok) Undo(0);
  changes_.clear();
  return ok;
}

bool Inference::AllAssignable(std::span<const TypeRef> a, std::span<const TypeRef> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!Assignable(a[i], b[i])) return false;
  return true;
}

bool Inference::Assignable(const TypeRef& a, const TypeRef& b) {
  if (b->is(TypeKind::kTypeParam)) {
    const Outcome outcome = Bind(a, b);
    if (outcome.valid) return true;
    if (outcome.bound) return false;
  }
  if (a->is(TypeKind::kTypeParam)) return Bind(b, a).valid;
  if (IsWild(*a) || IsWild(*b)) return true;
  if (a->is(TypeKind::kNull)) return IsNullable(*b);
  if (b->is(TypeKind::kNull)) return IsNullable(*a);
  switch (a->kind()) {
    case TypeKind::kType: return b->is(TypeKind::kType);
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return a->kind() == b->kind() && a->name() == b->name() &&
             AllAssignable(a->parameters(), b->parameters());
    default: return a->kind() == b->kind() && a->name() == b->name();
  }
}

Inference::Outcome Inference::Bind(const TypeRef& type, const TypeRef& variable) {
  if (SameType(*type, *variable)) return {true, true};
  const auto found = bindings_.find(variable->name());
  if (found == bindings_.end()) {
    if (Occurs(*variable, *type)) return {false, false};
    Set(variable->name(), type);
    return {true, false};
  }
  const TypeRef bound = found->second;
  if (SameType(*type, *bound)) return {true, true};
  if (!Assignable(type, bound)) return {false, true};
  const TypeRef& general = MoreGeneral(type, bound);
  if (!Occurs(*variable, *general)) Set(variable->name(), general);
  return {true, true};
}

bool Inference::Occurs(const Type& variable, const Type& within) const {
  if (SameType(variable, within)) return true;
  if (within.is(TypeKind::kTypeParam)) {
    const auto found = bindings_.find(within.name());
    return found != bindings_.end() && Occurs(variable, *found->second);
  }
  for (const TypeRef& parameter : within.parameters())
    if (Occurs(variable, *parameter)) return true;
  return false;
}

TypeRef Inference::Substitute(const TypeRef& type, bool free_to_dyn) const {
  if (type->is(TypeKind::kTypeParam)) {
    const auto found = bindings_.find(type->name());
    if (found != bindings_.end()) return Substitute(found->second, free_to_dyn);
    return free_to_dyn ? types::Dyn() : type;
  }
  return WithParameters(type, [&](const TypeRef& p) { return Substitute(p, free_to_dyn); });
}

}  // namespace keelson::cel
