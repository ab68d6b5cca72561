#include "api/patch/go_format.h"

#include <charconv>
#include <cmath>

namespace keelson::api {
namespace {

// %v of a float64 is the shortest text that reads back, with an exponent only for the very
// large and the very small, of two digits at least.
void AppendDouble(double d, std::string& out) {
  char text[512];  // fixed notation of a value below 1e21
  const double magnitude = std::fabs(d);
  const bool exponent = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e21);
  auto end = std::to_chars(text, text + sizeof(text), d,
                           exponent ? std::chars_format::scientific : std::chars_format::fixed);
  out.append(text, end.ptr);
}

}  // namespace

void AppendGoFormat(const Value& tree, std::string& out) {
  switch (tree.tag()) {
    case Value::Tag::kBool: out += tree.boolean() ? "true" : "false"; return;
    case Value::Tag::kInt: out += std::to_string(tree.integer()); return;
    case Value::Tag::kDouble: AppendDouble(tree.real(), out); return;
    case Value::Tag::kString: out += tree.string(); return;
    case Value::Tag::kList:
      out += '[';
      for (const Value& item : tree.list()->items()) {
        if (&item != tree.list()->data) out += ' ';
        AppendGoFormat(item, out);
      }
      out += ']';
      return;
    case Value::Tag::kMap:
      out += "map[";
      for (const MapNode::Entry& e : tree.map()->entries()) {
        if (&e != tree.map()->data) out += ' ';
        out.append(e.key).append(":");
        AppendGoFormat(e.value, out);
      }
      out += ']';
      return;
    default: out += "<nil>"; return;
  }
}

std::string GoFormat(const Value& tree) {
  std::string out;
  AppendGoFormat(tree, out);
  return out;
}

std::string_view GoKind(const Value& tree) {
  switch (tree.tag()) {
    case Value::Tag::kBool: return "bool";
    case Value::Tag::kInt: return "int64";
    case Value::Tag::kDouble: return "float64";
    case Value::Tag::kString: return "string";
    case Value::Tag::kList: return "slice";
    case Value::Tag::kMap: return "map";
    default: return "<nil>";
  }
}

std::string_view GoType(const Value& tree) {
  if (tree.list()) return "[]interface {}";
  if (tree.map()) return "map[string]interface {}";
  return GoKind(tree);
}

}  // namespace keelson::api
