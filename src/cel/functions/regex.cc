// Patterns. Those that are literals are compiled with the program; see plan.cc.
#include "base/regex.h"

#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

Value Matches(Args args) {
  if (!args[1].is(ValueKind::kString)) return NoSuchOverload(args[1]);
  const auto regex = base::Regex::Compile(args[1].text());
  return regex ? Value::Bool(regex->Matches(args[0].text())) : Value::Error(regex.error());
}

Value Find(Args args) {
  const auto regex = base::Regex::Compile(args[1].text());
  if (!regex) return Value::Error("Illegal regex: " + regex.error());
  return Value::String(std::string(regex->Find(args[0].text())));
}

Value FindAll(Args args) {
  const auto regex = base::Regex::Compile(args[1].text());
  if (!regex) return Value::Error("Illegal regex: " + regex.error());
  std::vector<std::string> found;
  for (const std::string_view match :
       regex->FindAll(args[0].text(), args.size() == 3 ? args[2].integer() : -1))
    found.emplace_back(match);
  return Value::Strings(std::move(found));
}

}  // namespace

void AddRegex(Library& library) {
  using namespace types;
  library.Global("matches", "matches", {String(), String()}, Bool());
  library.Member("matches", "matches_string", {String(), String()}, Bool());
  library.Define("matches").singleton = Matches;
  library.Define("matches").takes = [](const Value& v) { return v.is(ValueKind::kString); };
  library.Member("find", "string_find_string", {String(), String()}, String(), Find);
  library.Member("findAll", "string_find_all_string", {String(), String()}, ListOf(String()), FindAll);
  library.Member("findAll", "string_find_all_string_int", {String(), String(), Int()}, ListOf(String()),
                 FindAll);
}

}  // namespace keelson::cel
