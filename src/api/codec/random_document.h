// Random documents of any type, for tests that hold for all of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "api/codec/quantity.h"
#include "api/types/doc.h"

namespace keelson::api {

// Fills about half of the fields; the same seed gives the same document. Values are in the
// form in which decoding leaves them, so that encoding and decoding gives them back.
class RandomDocument {
 public:
  RandomDocument(uint64_t seed, Arena& arena) : random_(seed), arena_(arena) {}

  StructNode* Struct(const TypeDesc& type, int depth = 0) {
    StructNode* node = StructNode::New(type, arena_);
    if (type.either) {
      Alternative(*node, depth);
      return node;
    }
    for (const FieldDesc& f : type.fields) {
      if (f.has(FieldDesc::kTypeMeta) || f.number == 0) continue;
      if (Below(Nests(*f.type) ? Odds(depth) : 2) == 0) node->slot(f.ordinal) = Of(*f.type, depth);
    }
    return node;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }

  static bool Nests(const TypeDesc& type) {
    return type.kind == Kind::kStruct || (type.element && Nests(*type.element));
  }
  // One in how many nested structs is there: fewer the deeper, since types may hold themselves.
  static uint64_t Odds(int depth) { return depth < 3 ? 2 : 4 * static_cast<uint64_t>(depth); }

  void Alternative(StructNode& node, int depth) {
    const FieldDesc* flag = nullptr;
    for (const FieldDesc& f : node.type->fields)
      if (f.type->kind == Kind::kBool) flag = &f;
    const FieldDesc& chosen = node.type->fields[Below(node.type->fields.size())];
    node.slot(chosen.ordinal) = Of(*chosen.type, depth);
    if (flag && &chosen != flag) node.slot(flag->ordinal) = Value::Bool(true);
  }

  Value Of(const TypeDesc& type, int depth) {
    switch (type.kind) {
      case Kind::kBool: return Value::Bool(Below(2) == 1);
      case Kind::kInt32: return Value::Int(static_cast<int32_t>(Integer()));
      case Kind::kInt64: return Value::Int(Integer());
      case Kind::kDouble: return Value::Double(static_cast<double>(Integer()) / 1024);
      case Kind::kString: return Value::String(Text(40));
      case Kind::kBytes: return Value::Bytes(Text(40));
      case Kind::kQuantity: return Value::String(QuantityText());
      case Kind::kTime: return Value::Int(static_cast<int64_t>(Below(5'000'000'000)) - 500'000'000);
      case Kind::kMicroTime: return Value::Int(static_cast<int64_t>(Below(5'000'000'000'000'000)));
      case Kind::kDuration: return Value::Int(Integer());
      case Kind::kIntOrString:
        return Below(2) ? Value::Int(static_cast<int32_t>(Integer())) : Value::String(Text(8));
      case Kind::kRaw: return Value::String(R"({"f:a":{"k:{\"name\":\"b c\"}":[1,2.5,null]}})");
      case Kind::kStruct: return Value::Of(Struct(type, depth + 1));
      case Kind::kList: return List(type, depth);
      case Kind::kMap: return Map(type, depth);
      case Kind::kAny: return Value::Null();
    }
    return {};
  }

  Value List(const TypeDesc& type, int depth) {
    ListNode* list = ListNode::New(type.element, arena_);
    for (uint64_t n = 1 + Below(3); n > 0; --n) list->Append(Of(*type.element, depth + 1), arena_);
    return Value::Of(list);
  }

  Value Map(const TypeDesc& type, int depth) {
    MapNode* map = MapNode::New(type.element, arena_);
    for (uint64_t n = 1 + Below(3); n > 0; --n) {
      const std::string_view key = Text(20);
      map->Set(key, Of(*type.element, depth + 1), arena_);
    }
    return Value::Of(map);
  }

  // Read once: 3000 as a multiple of powers of two is written without a suffix, and then read as 3k.
  std::string_view QuantityText() {
    const int64_t value = Integer();
    const Quantity made(value, static_cast<Quantity::Format>(Below(3)));
    return arena_.CopyString(Quantity::Parse(made.ToString())->ToString());
  }

  int64_t Integer() {
    const auto v = static_cast<int64_t>(random_() >> Below(64));
    return Below(4) == 0 ? -v : v;
  }

  // Mostly plain text, with what needs care in between.
  std::string_view Text(uint64_t longest) {
    static constexpr std::string_view kOdd[] = {"\"",     "\\",     "\n",         "<",    "&",
                                                "\u00e9", "\u2028", "\U0001F600", "\x01", "/"};
    std::string text;
    for (uint64_t n = Below(longest); n > 0; --n) {
      if (Below(20) == 0) {
        text += kOdd[Below(std::size(kOdd))];
      } else {
        text += static_cast<char>('a' + Below(26));
      }
    }
    return arena_.CopyString(text);
  }

  std::mt19937_64 random_;
  Arena& arena_;
};

}  // namespace keelson::api
