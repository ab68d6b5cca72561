// Environment: the variables, types and functions an expression may use. Expressions are
// compiled against it: parsed, checked, and planned into a Program.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/ast.h"
#include "cel/library.h"
#include "cel/parser.h"

namespace keelson::cel {

// The structs of an environment. Borrowed by it; threads: const calls from any.
class StructTypes {
 public:
  virtual ~StructTypes() = default;
  virtual bool Has(std::string_view name) const = 0;
  // Null: no such field.
  virtual TypeRef Field(std::string_view name, std::string_view field) const = 0;
  // An object of the type, or an error; for expressions like Type{field: value}.
  virtual Value New(std::string_view name, std::vector<std::pair<std::string, Value>> fields) const;
};

// Structs by name with their fields, all known beforehand.
class DeclaredStructs final : public StructTypes {
 public:
  using Fields = std::map<std::string, TypeRef, std::less<>>;
  void Declare(std::string name, Fields fields) { structs_[std::move(name)] = std::move(fields); }
  bool Has(std::string_view name) const override { return structs_.contains(name); }
  TypeRef Field(std::string_view name, std::string_view field) const override;

 private:
  std::map<std::string, Fields, std::less<>> structs_;
};

struct Variable {
  std::string name;
  TypeRef type;
  bool hidden = false;  // keeps its place, but no expression can name it
};

// An expression that is right. Holds all it needs but the environment.
struct Checked {
  Source source;
  ExprPtr root;
  Positions positions;
  const TypeRef& type() const { return root->type; }
};

class Environment {
 public:
  struct Options {
    ParserOptions parser;
    std::shared_ptr<const Library> functions;
    std::vector<const StructTypes*> structs;
    std::vector<Variable> variables;
    std::vector<TypeRef> types;  // that can be named, besides those of the language
    bool check_literals = true;  // durations, times, patterns and formats in literals
  };
  explicit Environment(Options options);

  // The error is what is wrong, place by place.
  base::Result<Checked, std::string> Compile(std::string_view text) const;

  const Function* FindFunction(std::string_view name) const { return options_.functions->Find(name); }
  // By index into variables(); -1: none.
  int FindVariable(std::string_view name) const;
  const std::vector<Variable>& variables() const { return options_.variables; }
  TypeRef FindType(std::string_view name) const;  // null: none
  const StructTypes* FindStruct(std::string_view name) const;
  const Options& options() const { return options_; }

 private:
  Options options_;
  std::map<std::string, int, std::less<>> variables_;
  std::map<std::string, TypeRef, std::less<>> types_;
};

}  // namespace keelson::cel
