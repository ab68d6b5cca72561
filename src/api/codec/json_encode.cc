#include <algorithm>

#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/passes.h"
#include "api/codec/token_writer.h"

namespace keelson::api::json {
namespace {

class Encoder {
 public:
  explicit Encoder(base::BufferBuilder& out, bool by_name = false) : w_(out), by_name_(by_name) {}
  ~Encoder() { w_.Flush(); }

  void Any(const Value& v, const TypeDesc& type, bool pointer = false) {
    if (v.absent()) return WriteAbsent(type, pointer, w_);
    switch (type.kind) {
      case Kind::kBool: return w_.Bool(v.boolean());
      case Kind::kInt32:
      case Kind::kInt64: return w_.Int(v.integer());
      case Kind::kDouble: return w_.Double(v.real());
      case Kind::kString:
      case Kind::kQuantity: return w_.String(v.string());
      case Kind::kBytes: return w_.Bytes(v.string());
      case Kind::kTime: return w_.Time(v.integer());
      case Kind::kMicroTime: return w_.MicroTime(v.integer());
      case Kind::kDuration: return w_.Duration(v.integer());
      case Kind::kIntOrString: return v.is(Value::Tag::kString) ? w_.String(v.string()) : w_.Int(v.integer());
      case Kind::kRaw: return v.string().empty() ? w_.Null() : w_.Compact(v.string());
      case Kind::kStruct: return type.either ? Either(*v.node()) : Struct(*v.node());
      case Kind::kList: return List(*v.list(), *type.element);
      case Kind::kMap: return Map(*v.map(), *type.element);
      case Kind::kAny: return Tree(v);
    }
  }

  void Struct(const StructNode& node) {
    w_.Raw('{');
    by_name_ ? MembersByName(node) : Members(node);
    w_.CloseObject();
  }

  // A list that has elements, else the struct, else the bool.
  void Either(const StructNode& node) {
    const FieldDesc* shown = nullptr;
    for (const FieldDesc& f : node.type->fields) {
      const Value& v = node.slot(f.ordinal);
      if (f.type->kind == Kind::kBool ? shown == nullptr : v.node() || (v.list() && v.list()->size > 0))
        shown = &f;
    }
    shown ? Any(node.slot(shown->ordinal), *shown->type) : w_.Null();
  }

  // Trees may nest very deep, so each level takes little of the stack.
  void Tree(const Value& v) {
    if (v.list()) return TreeList(*v.list());
    if (v.map()) return TreeMap(*v.map());
    Leaf(v);
  }

 private:
  [[gnu::noinline]] void TreeList(const ListNode& list) {
    w_.Raw('[');
    for (const Value& item : list.items()) {
      list.element ? Any(item, *list.element) : Tree(item);
      w_.Comma();
    }
    w_.CloseArray();
  }

  [[gnu::noinline]] void TreeMap(const MapNode& map) {
    w_.Raw('{');
    for (const auto& entry : map.entries()) {
      Key(entry.key);
      map.element ? Any(entry.value, *map.element) : Tree(entry.value);
      w_.Comma();
    }
    w_.CloseObject();
  }

  [[gnu::noinline]] void Leaf(const Value& v) {
    switch (v.tag()) {
      case Value::Tag::kBool: return w_.Bool(v.boolean());
      case Value::Tag::kInt: return w_.Int(v.integer());
      case Value::Tag::kDouble: return w_.Double(v.real());
      case Value::Tag::kString: return w_.String(v.string());
      case Value::Tag::kBytes: return w_.Bytes(v.string());
      case Value::Tag::kStruct: return Struct(*v.node());
      default: return w_.Null();
    }
  }

  void Members(const StructNode& node) {
    for (const FieldDesc& f : node.type->fields) {
      const Value& v = node.slot(f.ordinal);
      if (f.has(FieldDesc::kInline)) {
        Inlined(v, f);
        continue;
      }
      if (!Shows(v, f)) continue;
      w_.Raw(f.json_key);
      Any(v, *f.type, f.has(FieldDesc::kPointer));
      w_.Comma();
    }
  }

  void Inlined(const Value& v, const FieldDesc& f) {
    if (v.map()) {
      Others(*v.map());
    } else if (v.node()) {
      Members(*v.node());
    } else if (f.type->kind == Kind::kStruct && !f.has(FieldDesc::kPointer)) {
      WriteAbsentMembers(*f.type, w_);
    }
  }

  // Requires: no struct or map is inlined.
  void MembersByName(const StructNode& node) {
    for (const TypeDesc::Member& member : node.type->members) {
      const FieldDesc& f = node.type->fields[member.field];
      const Value& v = node.slot(f.ordinal);
      if (!Shows(v, f)) continue;
      w_.Raw(f.json_key);
      Any(v, *f.type, f.has(FieldDesc::kPointer));
      w_.Comma();
    }
  }

  // Members that are no fields.
  void Others(const MapNode& map) {
    for (const auto& entry : map.entries()) {
      Key(entry.key);
      Tree(entry.value);
      w_.Comma();
    }
  }

  void List(const ListNode& list, const TypeDesc& element) {
    w_.Raw('[');
    for (const Value& item : list.items()) {
      Any(item, element);
      w_.Comma();
    }
    w_.CloseArray();
  }

  void Map(const MapNode& map, const TypeDesc& element) {
    w_.Raw('{');
    for (const auto& entry : map.entries()) {
      Key(entry.key);
      Any(entry.value, element);
      w_.Comma();
    }
    w_.CloseObject();
  }

  [[gnu::noinline]] void Key(std::string_view key) {
    w_.String(key);
    w_.Raw(':');
  }

  TokenWriter w_;
  const bool by_name_;
};

}  // namespace

void Encode(const Value& v, const TypeDesc& type, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out).Any(v, type);
}
void Encode(const StructNode& node, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out).Struct(node);
}
void EncodeAny(const Value& v, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out).Tree(v);
}

void EncodeByName(const StructNode& node, base::BufferBuilder& out) {
  const auto pass = codec::Pass::Encode();
  Encoder(out, /*by_name=*/true).Struct(node);
}

void EncodeString(std::string_view s, base::BufferBuilder& out) {
  if (TokenWriter::AppendPlain(s, out)) return;
  TokenWriter w(out);
  w.String(s);
  w.Flush();
}

std::string Indent(std::string_view compact) {
  std::string out;
  out.reserve(compact.size() * 2);
  size_t depth = 0;
  auto line = [&] {
    out += '\n';
    out.append(depth * 2, ' ');
  };
  for (size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    switch (c) {
      case '"': {
        size_t end = i + 1;
        while (end < compact.size() && compact[end] != '"') end += compact[end] == '\\' ? 2 : 1;
        out.append(compact, i, end - i + 1);
        i = end;
        break;
      }
      case '{':
      case '[':
        out += c;
        if (i + 1 < compact.size() && compact[i + 1] == (c == '{' ? '}' : ']')) {
          out += compact[++i];
          break;
        }
        ++depth;
        line();
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        line();
        out += c;
        break;
      case ',':
        out += c;
        line();
        break;
      case ':': out += ": "; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace keelson::api::json
