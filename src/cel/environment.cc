#include "cel/environment.h"

#include "cel/checker.h"
#include "cel/literal_checks.h"

namespace keelson::cel {

Value StructTypes::New(std::string_view name, std::vector<std::pair<std::string, Value>>) const {
  return Value::Error("unknown type '" + std::string(name) + "'");
}

TypeRef DeclaredStructs::Field(std::string_view name, std::string_view field) const {
  const auto found = structs_.find(name);
  if (found == structs_.end()) return nullptr;
  const auto type = found->second.find(field);
  return type == found->second.end() ? nullptr : type->second;
}

Environment::Environment(Options options) : options_(std::move(options)) {
  for (size_t i = 0; i < options_.variables.size(); ++i)
    if (!options_.variables[i].hidden) variables_[options_.variables[i].name] = static_cast<int>(i);
  const TypeRef a = types::Parameter("A"), b = types::Parameter("B");
  for (const TypeRef& type : {types::Bool(), types::Bytes(), types::Double(), types::Duration(), types::Int(),
                              types::ListOf(a), types::MapOf(a, b), types::Null(), types::String(),
                              types::Timestamp(), types::AnyType(), types::Uint()})
    types_[type->name()] = type;
  for (const TypeRef& type : options_.types) types_[type->name()] = type;
}

int Environment::FindVariable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? -1 : found->second;
}

TypeRef Environment::FindType(std::string_view name) const {
  const auto found = types_.find(name);
  if (found != types_.end()) return found->second;
  return FindStruct(name) ? types::Struct(std::string(name)) : nullptr;
}

const StructTypes* Environment::FindStruct(std::string_view name) const {
  for (const StructTypes* structs : options_.structs)
    if (structs->Has(name)) return structs;
  return nullptr;
}

base::Result<Checked, std::string> Environment::Compile(std::string_view text) const {
  Checked checked{Source(text), nullptr, {}};
  Issues issues;
  Parsed parsed = Parse(checked.source, options_.parser, issues);
  checked.root = std::move(parsed.root);
  checked.positions = std::move(parsed.positions);
  if (issues.empty()) Check(checked, *this, issues);
  if (issues.empty() && options_.check_literals) CheckLiterals(checked, issues);
  if (!issues.empty()) return base::Err(issues.Display(checked.source));
  return checked;
}

}  // namespace keelson::cel
