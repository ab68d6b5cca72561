#include "cel/library.h"

#include <algorithm>

namespace keelson::cel {
namespace {

void CollectParameters(const Type& type, std::vector<std::string>& names) {
  if (type.is(TypeKind::kTypeParam) && std::ranges::find(names, type.name()) == names.end())
    names.push_back(type.name());
  for (const TypeRef& parameter : type.parameters()) CollectParameters(*parameter, names);
}

bool FitsType(const Type& type, const Value& value) {
  if (type.is(TypeKind::kTypeParam) || type.is(TypeKind::kDyn)) return true;
  if (type.name() != TypeOf(value)->name()) return false;
  // The first entry stands for all.
  if (type.is(TypeKind::kList))
    return value.list().size() == 0 || FitsType(*type.parameter(0), value.list().At(0));
  if (type.is(TypeKind::kMap))
    return value.map().size() == 0 || (FitsType(*type.parameter(0), value.map().KeyAt(0)) &&
                                       FitsType(*type.parameter(1), value.map().ValueAt(0)));
  return true;
}

}  // namespace

bool Function::Fits(const Overload& overload, Args args) {
  if (overload.args.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i)
    if (!FitsType(*overload.args[i], args[i])) return false;
  return true;
}

Function& Library::Define(std::string_view name) {
  auto found = functions_.find(name);
  if (found == functions_.end())
    found = functions_.emplace(std::string(name), Function{std::string(name)}).first;
  return found->second;
}

void Library::Add(std::string_view name, Overload overload) {
  for (const TypeRef& arg : overload.args) CollectParameters(*arg, overload.type_parameters);
  CollectParameters(*overload.result, overload.type_parameters);
  Define(name).overloads.push_back(std::move(overload));
}

void Library::Global(std::string_view name, std::string id, std::vector<TypeRef> args, TypeRef result,
                     Implementation call) {
  Add(name, {std::move(id), false, std::move(args), std::move(result), call, {}});
}

void Library::Member(std::string_view name, std::string id, std::vector<TypeRef> args, TypeRef result,
                     Implementation call) {
  Add(name, {std::move(id), true, std::move(args), std::move(result), call, {}});
}

const Function* Library::Find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

void Library::Merge(const Library& other) {
  for (const auto& [name, function] : other.functions_) {
    Function& here = Define(name);
    here.overloads.insert(here.overloads.end(), function.overloads.begin(), function.overloads.end());
    if (function.singleton) here.singleton = function.singleton;
    if (function.takes) here.takes = function.takes;
    here.non_strict = here.non_strict || function.non_strict;
    here.guarded = here.guarded && function.guarded;
  }
}

Value NoMatch(std::string_view function, Args args) {
  std::string text = "no such overload: " + std::string(function) + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].is_error()) return args[i];
    text.append(i > 0 ? ", " : "").append(TypeOf(args[i])->name());
  }
  return Value::Error(text + ")");
}

}  // namespace keelson::cel
