#include "names.h"

#include <algorithm>
#include <array>

namespace schemac {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// C++ keywords that are field names somewhere in the API, then names of StructView.
constexpr std::array<std::string_view, 25> kReserved = {
    "auto",   "bool",   "case",     "class", "const",     "continue", "default",  "delete",  "do",
    "enum",   "export", "if",       "int",   "namespace", "not",      "operator", "private", "protected",
    "public", "static", "template", "union", "at",        "node",     "arena"};

}  // namespace

std::string SnakeCase(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsUpper(c)) {
      if (c != '$') out += (c == '-' || c == '.') ? '_' : c;
      continue;
    }
    bool boundary = i > 0 && !IsUpper(name[i - 1]);
    if (i > 0 && IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1])) {
      // The last capital of a run starts a word, unless a plural s ends the run: "podIPs".
      const bool plural = name[i + 1] == 's' && (i + 2 == name.size() || IsUpper(name[i + 2]));
      boundary = !plural;
    }
    if (boundary && !out.ends_with('_')) out += '_';
    out += static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string AccessorStem(const Field& field) {
  if (!field.inlined) return SnakeCase(field.name);
  const std::string& word = field.type.word;
  const size_t dot = word.rfind('.');
  return SnakeCase(dot == std::string::npos ? word : word.substr(dot + 1));
}

std::string AccessorName(const Field& field) {
  std::string name = AccessorStem(field);
  if (std::ranges::find(kReserved, name) != kReserved.end()) name += '_';
  return name;
}

std::string ClassStem(const Type& type) { return type.name == "List" ? "ListKind" : type.name; }

std::string Quote(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

}  // namespace schemac
