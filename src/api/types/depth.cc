#include "api/types/depth.h"

#include <algorithm>

#include "api/types/custom_type.h"

namespace keelson::api {
namespace {

// The levels below, as far as `most` levels are exceeded by them.
class Meter {
 public:
  explicit Meter(int most) : most_(most) {}

  int Struct(const StructNode& node, int level) {
    int deepest = level;
    for (size_t i = 0; i < node.type->fields.size() && deepest <= most_; ++i) {
      const FieldDesc& field = node.type->fields[i];
      if (level == 1 && field.name == "metadata") continue;
      const Value& value = node.slot(i);
      // The members of a custom object beside its metadata are at the level of the object.
      if (level == 1 && value.map() && IsOpen(*node.type)) {
        deepest = std::max(deepest, Map(*value.map(), level));
        continue;
      }
      const bool text = field.type && field.type->kind == Kind::kRaw;
      deepest = std::max(deepest, text ? Text(value.string(), level) : Inside(value, level));
    }
    return deepest;
  }

 private:
  int Inside(const Value& value, int level) {
    if (level > most_) return level;
    switch (value.tag()) {
      case Value::Tag::kStruct: return Struct(*value.node(), level + 1);
      case Value::Tag::kList: return List(*value.list(), level + 1);
      case Value::Tag::kMap: return Map(*value.map(), level + 1);
      default: return level;
    }
  }

  int List(const ListNode& list, int level) {
    int deepest = level;
    const bool text = list.element && list.element->kind == Kind::kRaw;
    for (const Value& item : list.items()) {
      if (deepest > most_) break;
      deepest = std::max(deepest, text ? Text(item.string(), level) : Inside(item, level));
    }
    return deepest;
  }

  int Map(const MapNode& map, int level) {
    int deepest = level;
    const bool text = map.element && map.element->kind == Kind::kRaw;
    for (const MapNode::Entry& entry : map.entries()) {
      if (deepest > most_) break;
      deepest = std::max(deepest, text ? Text(entry.value.string(), level) : Inside(entry.value, level));
    }
    return deepest;
  }

  // The deepest level of a well-formed JSON text that begins at `level`.
  static int Text(std::string_view json, int level) {
    int deepest = level;
    bool quoted = false;
    for (size_t i = 0; i < json.size(); ++i) {
      const char c = json[i];
      if (quoted) {
        if (c == '\\')
          ++i;
        else
          quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        deepest = std::max(deepest, ++level);
      } else if (c == '}' || c == ']') {
        --level;
      }
    }
    return deepest;
  }

  const int most_;
};

}  // namespace

bool IsDeeperThan(const StructNode& root, int levels) { return Meter(levels).Struct(root, 1) > levels; }

int DepthOf(const StructNode& root) {
  // Far beyond what any codec reads.
  constexpr int kBottom = 20'000;
  return Meter(kBottom).Struct(root, 1);
}

}  // namespace keelson::api
