#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/codec/cbor.h"
#include "api/codec/cbor_reader.h"
#include "api/codec/json_presence.h"
#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "api/codec/time_format.h"
#include "api/codec/transcode.h"
#include "api/types/custom_type.h"

namespace keelson::api::cbor {
namespace {

// The claims inside a stateful set say what they are, as in JSON.
constexpr std::string_view kClaimTemplates = "volumeClaimTemplates";
constexpr std::string_view kClaimKind = "PersistentVolumeClaim", kClaimVersion = "v1";

bool Shorter(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// The members of a struct in the order in which they are written.
const std::vector<MemberRef>& PlanFor(const TypeDesc& type) {
  thread_local std::unordered_map<const TypeDesc*, std::unique_ptr<std::vector<MemberRef>>> plans;
  auto& plan = plans[&type];
  if (plan) return *plan;
  plan = std::make_unique<std::vector<MemberRef>>();
  for (const TypeDesc::Member& member : type.members) plan->push_back(type.Resolve(member));
  std::ranges::sort(
      *plan, [](const MemberRef& a, const MemberRef& b) { return Shorter(a.field->name, b.field->name); });
  return *plan;
}

// The bits of `f` in half precision, if nothing is lost.
std::optional<uint16_t> ExactHalf(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if ((bits & 0x7fff'ffff) == 0) return sign;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
  uint32_t mantissa = bits & 0x7f'ffff;
  if (exponent >= -14 && exponent <= 15) {
    if (mantissa & 0x1fff) return std::nullopt;
    return static_cast<uint16_t>(sign | (exponent + 15) << 10 | mantissa >> 13);
  }
  if (exponent < -24 || exponent > 15) return std::nullopt;
  mantissa |= 0x80'0000;
  const int shift = -1 - exponent;
  if (mantissa & ((1u << shift) - 1)) return std::nullopt;
  return static_cast<uint16_t>(sign | mantissa >> shift);
}

class Encoder {
 public:
  explicit Encoder(base::BufferBuilder& out) : out_(out) {}

  void Head(Major major, uint64_t argument) {
    if (argument < 24) return First(major, static_cast<uint8_t>(argument));
    const int width = argument <= UINT8_MAX ? 0 : argument <= UINT16_MAX ? 1 : argument <= UINT32_MAX ? 2 : 3;
    First(major, static_cast<uint8_t>(24 + width));
    Argument(argument, 1 << width);
  }

  void String(std::string_view s) {
    Head(Major::kBytes, s.size());
    out_.Append(s);
  }

  void Struct(const StructNode& node, std::string_view kind, std::string_view api_version) {
    const std::vector<MemberRef>& plan = PlanFor(*node.type);
    uint64_t members = 0;
    for (const MemberRef& member : plan) members += Member(node, member, kind, api_version).has_value();
    Head(Major::kMap, members);
    for (const MemberRef& member : plan) {
      const auto v = Member(node, member, kind, api_version);
      if (!v) continue;
      String(member.field->name);
      Field(*v, *member.field);
    }
  }

  // Trees may nest very deep, so each level takes little of the stack.
  void Tree(const Value& v) {
    if (v.list()) return TreeList(*v.list());
    if (v.map()) return TreeMap(*v.map());
    Leaf(v);
  }

 private:
  void First(Major major, uint8_t info) {
    out_.Append(static_cast<char>(static_cast<uint8_t>(major) << 5 | info));
  }
  void Argument(uint64_t argument, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out_.Append(static_cast<char>(argument >> shift));
  }
  void Simple(uint8_t info) { First(Major::kSimple, info); }
  void Null() { Simple(kNull); }
  void Bool(bool b) { Simple(b ? kTrue : kFalse); }
  void Int(int64_t i) {
    i < 0 ? Head(Major::kNegative, static_cast<uint64_t>(~i))
          : Head(Major::kUnsigned, static_cast<uint64_t>(i));
  }
  // In the shortest form that holds the value; not finite: null, as in JSON.
  void Double(double d) {
    if (!std::isfinite(d)) return Null();
    const auto single = static_cast<float>(d);
    if (static_cast<double>(single) != d) {
      Simple(kDouble);
      return Argument(std::bit_cast<uint64_t>(d), 8);
    }
    if (const auto half = ExactHalf(single)) {
      Simple(kHalf);
      return Argument(*half, 2);
    }
    Simple(kSingle);
    Argument(std::bit_cast<uint32_t>(single), 4);
  }
  template <size_t kSize>
  void Formatted(char* (*format)(int64_t, char*), int64_t v) {
    char text[kSize];
    String({text, static_cast<size_t>(format(v, text) - text)});
  }

  // The value of a member, perhaps absent; nullopt when it does not show.
  static std::optional<Value> Member(const StructNode& node, const MemberRef& member, std::string_view kind,
                                     std::string_view api_version) {
    const StructNode* owner = &node;
    for (const FieldDesc* step : {member.outer, member.inner}) {
      if (!step) continue;
      if (owner) owner = owner->slot(step->ordinal).node();
      if (!owner && step->has(FieldDesc::kPointer)) return std::nullopt;
    }
    const FieldDesc& field = *member.field;
    Value v = owner ? owner->slot(field.ordinal) : Value();
    if (field.has(FieldDesc::kTypeMeta) && v.string().empty()) {
      const std::string_view given = field.ordinal == 0 ? kind : api_version;
      if (!given.empty()) v = Value::String(given);
    }
    if (!json::Shows(v, field)) return std::nullopt;
    return v;
  }

  void Field(const Value& v, const FieldDesc& field) {
    if (field.name == kClaimTemplates && v.list() && field.type->element->root) {
      Head(Major::kArray, v.list()->size);
      for (const Value& item : v.list()->items()) Struct(*item.node(), kClaimKind, kClaimVersion);
      return;
    }
    Any(v, *field.type, field.has(FieldDesc::kPointer));
  }

  void Any(const Value& v, const TypeDesc& type, bool pointer = false) {
    if (v.absent()) return Absent(type, pointer);
    switch (type.kind) {
      case Kind::kBool: return Bool(v.boolean());
      case Kind::kInt32:
      case Kind::kInt64: return Int(v.integer());
      case Kind::kDouble: return Double(v.real());
      case Kind::kString:
      case Kind::kQuantity: return String(v.string());
      case Kind::kBytes: return Bytes(v.string());
      case Kind::kTime: return Formatted<kMaxTimeSize>(FormatTime, v.integer());
      case Kind::kMicroTime: return Formatted<kMaxTimeSize>(FormatMicroTime, v.integer());
      case Kind::kDuration: return Formatted<kMaxDurationSize>(FormatDuration, v.integer());
      case Kind::kIntOrString: return v.is(Value::Tag::kString) ? String(v.string()) : Int(v.integer());
      case Kind::kRaw: return Raw(v.string());
      case Kind::kStruct: return type.either ? Either(*v.node()) : Struct(*v.node(), {}, {});
      case Kind::kList:
        Head(Major::kArray, v.list()->size);
        for (const Value& item : v.list()->items()) Any(item, *type.element);
        return;
      case Kind::kMap: return Entries(*v.map(), [&](const Value& value) { Any(value, *type.element); });
      case Kind::kAny: return Tree(v);
    }
  }

  // What stands for a value that is not there but must show.
  void Absent(const TypeDesc& type, bool pointer) {
    if (pointer) return Null();
    switch (type.kind) {
      case Kind::kBool: return Bool(false);
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kIntOrString: return Int(0);
      case Kind::kDouble: return Double(0);
      case Kind::kString: return String("");
      case Kind::kQuantity: return String("0");
      case Kind::kDuration: return String("0s");
      case Kind::kStruct: {
        Arena arena;
        return Struct(*StructNode::New(type, arena), {}, {});
      }
      default: return Null();
    }
  }

  void Bytes(std::string_view bytes) {
    Head(Major::kTag, kBase64Tag);
    String(bytes);
  }

  void Raw(std::string_view json) {
    Arena arena;
    auto tree = json::DecodeAny(json, arena);
    tree ? Tree(*tree) : Null();
  }

  // A list that has elements, else the struct, else the bool.
  void Either(const StructNode& node) {
    const FieldDesc* shown = nullptr;
    for (const FieldDesc& f : node.type->fields) {
      const Value& v = node.slot(f.ordinal);
      if (f.type->kind == Kind::kBool ? shown == nullptr : v.node() || (v.list() && v.list()->size > 0))
        shown = &f;
    }
    shown ? Any(node.slot(shown->ordinal), *shown->type) : Null();
  }

  template <class Write>
  void Entries(const MapNode& map, Write&& write) {
    std::vector<const MapNode::Entry*> sorted;
    sorted.reserve(map.size);
    for (const MapNode::Entry& entry : map.entries()) sorted.push_back(&entry);
    std::ranges::sort(sorted, Shorter, [](const MapNode::Entry* entry) { return entry->key; });
    Head(Major::kMap, map.size);
    for (const MapNode::Entry* entry : sorted) {
      String(entry->key);
      write(entry->value);
    }
  }

  [[gnu::noinline]] void TreeList(const ListNode& list) {
    Head(Major::kArray, list.size);
    for (const Value& item : list.items()) list.element ? Any(item, *list.element) : Tree(item);
  }

  [[gnu::noinline]] void TreeMap(const MapNode& map) {
    Entries(map, [&](const Value& value) { map.element ? Any(value, *map.element) : Tree(value); });
  }

  [[gnu::noinline]] void Leaf(const Value& v) {
    switch (v.tag()) {
      case Value::Tag::kBool: return Bool(v.boolean());
      case Value::Tag::kInt: return Int(v.integer());
      case Value::Tag::kDouble: return Double(v.real());
      case Value::Tag::kString: return String(v.string());
      case Value::Tag::kBytes: return Bytes(v.string());
      case Value::Tag::kStruct: return Struct(*v.node(), {}, {});
      default: return Null();
    }
  }

  base::BufferBuilder& out_;
};

}  // namespace

void Encode(const StructNode& node, std::string_view kind, std::string_view api_version,
            base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out).Struct(node, kind, api_version);
}

void EncodeAny(const Value& v, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out).Tree(v);
}

void EncodeJson(std::string_view json, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Transcode();
  Arena arena;
  auto tree = json::DecodeAny(json, arena);
  EncodeAny(tree ? *tree : Value::Null(), out);
}

namespace {

// An object of a custom kind is mostly JSON already.
bool CustomToCbor(std::string_view bytes, const TypeDesc& type, std::string_view kind,
                  std::string_view api_version, base::BufferBuilder& out) {
  base::BufferBuilder head, whole;
  if (!kind.empty()) {
    head.Append("\"kind\":");
    json::EncodeString(kind, head);
    head.Append(",\"apiVersion\":");
    json::EncodeString(api_version, head);
  }
  if (!transcode::ProtobufToJson(bytes, type, head.view(), whole)) return false;
  EncodeJson(whole.view(), out);
  return true;
}

}  // namespace

bool ProtobufToCbor(std::string_view bytes, const TypeDesc& type, std::string_view kind,
                    std::string_view api_version, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Transcode();
  if (IsOpen(type)) return CustomToCbor(bytes, type, kind, api_version, out);
  Arena arena;
  auto node = protobuf::Decode(bytes, type, arena);
  if (!node) return false;
  Encode(**node, kind, api_version, out);
  return true;
}

void AppendMapHead(size_t members, base::BufferBuilder& out) { Encoder(out).Head(Major::kMap, members); }
void AppendArrayHead(size_t elements, base::BufferBuilder& out) {
  Encoder(out).Head(Major::kArray, elements);
}
void AppendString(std::string_view s, base::BufferBuilder& out) { Encoder(out).String(s); }

}  // namespace keelson::api::cbor
