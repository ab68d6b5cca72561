// Library: the functions that expressions may call, by name, with what they take and give.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/type.h"
#include "cel/value.h"

namespace keelson::cel {

using Args = std::span<const Value>;
using Implementation = Value (*)(Args args);

struct Overload {
  std::string id;
  bool member = false;
  std::vector<TypeRef> args;  // the target first
  TypeRef result;
  Implementation call = nullptr;  // null: the function's own is called
  std::vector<std::string> type_parameters;
};

struct Function {
  std::string name;
  std::vector<Overload> overloads;
  // One for all overloads, where the first argument passes `takes`.
  Implementation singleton = nullptr;
  bool (*takes)(const Value& first) = nullptr;
  // Errors are handed to it, too.
  bool non_strict = false;
  // False: arguments are not compared with the overload before it is called.
  bool guarded = true;

  // Whether values fit an overload, as far as that can be seen of them.
  static bool Fits(const Overload& overload, Args args);
};

class Library {
 public:
  // Overloads of a name that is known are added to it.
  Function& Define(std::string_view name);
  void Global(std::string_view name, std::string id, std::vector<TypeRef> args, TypeRef result,
              Implementation call = nullptr);
  void Member(std::string_view name, std::string id, std::vector<TypeRef> args, TypeRef result,
              Implementation call = nullptr);

  const Function* Find(std::string_view name) const;
  void Merge(const Library& other);

 private:
  void Add(std::string_view name, Overload overload);

  std::map<std::string, Function, std::less<>> functions_;
};

// "no such overload: f(int, string)", or the first error among the arguments.
Value NoMatch(std::string_view function, Args args);

}  // namespace keelson::cel
