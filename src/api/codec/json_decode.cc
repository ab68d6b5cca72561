#include <simdjson.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/go_names.h"
#include "api/codec/go_scalar_types.h"
#include "api/codec/json.h"
#include "api/codec/json_presence.h"
#include "api/codec/json_reader.h"
#include "api/codec/map_builder.h"
#include "api/codec/passes.h"
#include "api/codec/quantity.h"
#include "api/codec/seen_fields.h"
#include "api/codec/time_format.h"
#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"

namespace keelson::api::json {
namespace {

constexpr size_t kMaxStrictErrors = 100;
constexpr size_t kMaxStrictBytes = 1 << 20;  // of all of them but the last

// Where in the document the decoder is: a chain on the stack, spelled out only for errors.
struct Frame {
  const Frame* parent = nullptr;
  const TypeDesc* owner = nullptr;   // a field: the struct that JSON shows it in
  const FieldDesc* outer = nullptr;  // a field: the inline structs it lives in
  const FieldDesc* inner = nullptr;
  std::string_view name;  // a field or a map key
  int64_t index = -1;     // a list element
};

template <class Int>
bool ParseInt(std::string_view token, Int* out) {
  auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), *out);
  return ec == std::errc() && end == token.data() + token.size();
}

bool ParseDouble(std::string_view token, double* out) {
  auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), *out);
  if (ec == std::errc()) return end == token.data() + token.size();
  if (ec != std::errc::result_out_of_range) return false;
  // Too small is zero; too large is an error, and so is what cannot be told apart here.
  const size_t e = token.find_first_of("eE");
  const bool tiny = (e != token.npos && token.substr(e + 1).starts_with('-')) || token.starts_with("0.") ||
                    token.starts_with("-0.");
  *out = 0;
  return tiny;
}

// Methods return false when the text is malformed. A value of the wrong type is noted and
// skipped: upstream reports it only when the whole text is well formed.
class Decoder {
 public:
  Decoder(std::string_view text, Arena& arena, StrictErrors* strict)
      : reader_(text, arena), arena_(arena), strict_(strict) {}

  base::Result<StructNode*, DecodeError> Document(const TypeDesc& type) {
    Value root;
    const bool well_formed =
        (reader_.Peek() == 'n' ? reader_.Literal("null") : Any(type, root, nullptr)) && reader_.AtEnd();
    if (!well_formed) return base::Err(DecodeError{reader_.error(), /*syntax=*/true});
    if (failure_) return base::Err(DecodeError{*failure_});
    if (mismatch_) return base::Err(DecodeError{*mismatch_});
    return root.node() ? root.node() : StructNode::New(type, arena_);
  }

  base::Result<Value, DecodeError> AnyDocument() {
    Value root;
    if (!Tree(root, nullptr) || !reader_.AtEnd())
      return base::Err(DecodeError{reader_.error(), /*syntax=*/true});
    if (mismatch_) return base::Err(DecodeError{*mismatch_});
    return root;
  }

 private:
  // A value that is not null, or the element of a list or map.
  bool Any(const TypeDesc& type, Value& slot, const Frame* at) {
    const char c = reader_.Peek();
    switch (type.kind) {
      case Kind::kBool: return c == 't' || c == 'f' ? Boolean(c, slot) : Mismatch(type, at);
      case Kind::kInt32:
      case Kind::kInt64: return IsNumber(c) ? Integer(type, slot, at) : Mismatch(type, at);
      case Kind::kDouble: return IsNumber(c) ? Double(type, slot, at) : Mismatch(type, at);
      case Kind::kString: return c == '"' ? String(slot) : Mismatch(type, at);
      case Kind::kBytes: return c == '"' ? Bytes(slot) : Mismatch(type, at);
      case Kind::kQuantity: return Quantity(c, slot);
      case Kind::kTime:
      case Kind::kMicroTime:
      case Kind::kDuration: return c == '"' ? Timely(type, slot) : Failure("string", at);
      case Kind::kIntOrString: return IntOrString(c, slot, at);
      case Kind::kRaw: return Raw(type, slot);
      case Kind::kStruct:
        if (type.either) return Either(type, slot, at);
        return c == '{' ? Struct(type, slot, at) : Mismatch(type, at);
      case Kind::kList: return c == '[' ? List(type, slot, at) : Mismatch(type, at);
      case Kind::kMap: return c == '{' ? Map(type, slot, at) : Mismatch(type, at);
      case Kind::kAny: return Tree(slot, at);
    }
    return false;
  }

  bool Element(const TypeDesc& type, Value& slot, const Frame* at) {
    if (reader_.Peek() != 'n') return Any(type, slot, at);
    slot = ZeroElement(type, arena_);
    return reader_.Literal("null");
  }

  // null makes a pointer, list or map absent and leaves anything else as it was.
  bool Field(const FieldDesc& field, Value& slot, const Frame* at) {
    if (reader_.Peek() != 'n') return Any(*field.type, slot, at);
    switch (field.type->kind) {
      case Kind::kAny: slot = Value::Null(); break;
      case Kind::kBytes:
      case Kind::kList:
      case Kind::kMap:
      case Kind::kTime:
      case Kind::kMicroTime:
      case Kind::kQuantity: slot = {}; break;
      default:
        if (field.has(FieldDesc::kPointer)) slot = {};
    }
    return reader_.Literal("null");
  }

  bool Struct(const TypeDesc& type, Value& slot, const Frame* at) {
    if (!reader_.BeginContainer()) return false;
    if (!slot.node()) slot = Value::Of(StructNode::New(type, arena_));
    StructNode* node = slot.node();
    SeenFields seen;
    std::optional<MapBuilder> others;
    std::string_view name;
    uint32_t expected = 0;  // members mostly come in the order of declaration
    bool more = true;
    for (bool first = true;; first = false) {
      if (!reader_.NextMember(first, &name, &more)) return false;
      if (!more) break;
      MemberRef member;
      if (expected < type.fields.size() && type.fields[expected].name == name) {
        member.field = &type.fields[expected];
      } else {
        member = type.FindMember(name);
      }
      if (!member.field && IsOpen(type)) {
        if (!others) others.emplace(MutableContentOf(*node, arena_), arena_);
        const Frame frame{at, &type, nullptr, nullptr, name};
        Value value;
        if (!Tree(value, &frame)) return false;
        others->Add(name, value);
        continue;
      }
      if (!member.field) {
        if (strict_) StrictError("unknown field", at, name);
        if (!reader_.Skip()) return false;
        continue;
      }
      expected = (member.outer ? member.outer->ordinal : member.field->ordinal) + 1u;
      if (strict_ && seen.Mark(type, member)) StrictError("duplicate field", at, name);
      StructNode* owner = node;
      if (member.outer) owner = Inline(*owner, *member.outer);
      if (member.inner) owner = Inline(*owner, *member.inner);
      const Frame frame{at, &type, member.outer, member.inner, member.field->name};
      if (!Field(*member.field, owner->slot(member.field->ordinal), &frame)) return false;
    }
    if (others)
      others->Finish([&](std::string_view key) {
        if (strict_) StrictError("duplicate field", at, key);
      });
    reader_.EndContainer();
    return true;
  }

  StructNode* Inline(StructNode& owner, const FieldDesc& field) {
    Value& slot = owner.slot(field.ordinal);
    if (!slot.node()) slot = Value::Of(StructNode::New(*field.type, arena_));
    return slot.node();
  }

  // The field is known by the form of the value. Like upstream, this is not strict inside.
  bool Either(const TypeDesc& type, Value& slot, const Frame* at) {
    const char c = reader_.Peek();
    const Kind wanted = c == '{'               ? Kind::kStruct
                        : c == '['             ? Kind::kList
                        : c == 't' || c == 'f' ? Kind::kBool
                                               : Kind::kAny;
    const FieldDesc* chosen = nullptr;
    const FieldDesc* flag = nullptr;
    for (const FieldDesc& field : type.fields) {
      if (field.type->kind == wanted) chosen = &field;
      if (field.type->kind == Kind::kBool) flag = &field;
    }
    if (!chosen && flag) return reader_.Skip() && Fail("boolean or JSON schema expected");
    StructNode* node = StructNode::New(type, arena_);
    slot = Value::Of(node);
    if (!chosen) return reader_.Skip();
    if (flag) node->slot(flag->ordinal) = Value::Bool(true);
    StrictErrors* const strict = std::exchange(strict_, nullptr);
    const bool well_formed = Any(*chosen->type, node->slot(chosen->ordinal), at);
    strict_ = strict;
    return well_formed;
  }

  bool List(const TypeDesc& type, Value& slot, const Frame* at) {
    if (!reader_.BeginContainer()) return false;
    ListNode* list = ListNode::New(type.element, arena_);
    slot = Value::Of(list);
    Frame frame{at};
    bool more = true;
    for (frame.index = 0;; ++frame.index) {
      if (!reader_.NextElement(frame.index == 0, &more)) return false;
      if (!more) break;
      Value item;
      if (!Element(*type.element, item, &frame)) return false;
      // Where a value of the wrong type stood, something must still stand for it.
      if (item.absent() && type.element->kind == Kind::kStruct) item = ZeroElement(*type.element, arena_);
      list->Append(item, arena_);
    }
    reader_.EndContainer();
    return true;
  }

  bool Map(const TypeDesc& type, Value& slot, const Frame* at) {
    if (!slot.map()) slot = Value::Of(MapNode::New(type.element, arena_));
    return Entries(*slot.map(), at, [&](Value& value, const Frame* frame) {
      if (!Element(*type.element, value, frame)) return false;
      if (value.absent() && type.element->kind == Kind::kStruct) value = ZeroElement(*type.element, arena_);
      return true;
    });
  }

  template <class ReadValue>
  bool Entries(MapNode& map, const Frame* at, ReadValue&& read) {
    if (!reader_.BeginContainer()) return false;
    MapBuilder builder(map, arena_);
    Frame frame{at};
    bool more = true;
    for (bool first = true;; first = false) {
      if (!reader_.NextMember(first, &frame.name, &more)) return false;
      if (!more) break;
      Value value;
      if (!read(value, &frame)) return false;
      builder.Add(frame.name, value);
    }
    builder.Finish([&](std::string_view key) {
      if (strict_) StrictError("duplicate field", at, key);
    });
    reader_.EndContainer();
    return true;
  }

  // Any JSON as a tree. This nests as deep as the limit allows, so what happens at each
  // level is kept in functions of its own, with small frames.
  bool Tree(Value& slot, const Frame* at) {
    switch (reader_.Peek()) {
      case '{': return TreeMap(slot, at);
      case '[': return TreeList(slot, at);
      default: return Leaf(slot, at);
    }
  }

  [[gnu::noinline]] bool TreeMap(Value& slot, const Frame* at) {
    slot = Value::Of(MapNode::New(nullptr, arena_));
    return Entries(*slot.map(), at, [this](Value& value, const Frame* frame) { return Tree(value, frame); });
  }

  [[gnu::noinline]] bool TreeList(Value& slot, const Frame* at) {
    if (!reader_.BeginContainer()) return false;
    ListNode* list = ListNode::New(nullptr, arena_);
    slot = Value::Of(list);
    Frame frame{at};
    bool more = true;
    for (frame.index = 0;; ++frame.index) {
      if (!reader_.NextElement(frame.index == 0, &more)) return false;
      if (!more) break;
      Value item;
      if (!Tree(item, &frame)) return false;
      list->Append(item, arena_);
    }
    reader_.EndContainer();
    return true;
  }

  // A tree of one value. Integers that int64 can hold stay integers.
  [[gnu::noinline]] bool Leaf(Value& slot, const Frame* at) {
    const char c = reader_.Peek();
    if (c == '"') return String(slot);
    if (c == 't' || c == 'f') return Boolean(c, slot);
    if (c == 'n') {
      slot = Value::Null();
      return reader_.Literal("null");
    }
    if (!IsNumber(c)) return reader_.Unexpected("looking for beginning of value");
    std::string_view token;
    if (!reader_.Number(&token)) return false;
    int64_t i = 0;
    double d = 0;
    if (token.find('.') == token.npos && ParseInt(token, &i)) {
      slot = Value::Int(i);
    } else if (ParseDouble(token, &d)) {
      slot = Value::Double(d);
    } else {
      Note("number " + std::string(token), "float64", at);
    }
    return true;
  }

  bool Boolean(char c, Value& slot) {
    slot = Value::Bool(c == 't');
    return reader_.Literal(c == 't' ? "true" : "false");
  }

  bool Integer(const TypeDesc& type, Value& slot, const Frame* at) {
    std::string_view token;
    if (!reader_.Number(&token)) return false;
    int64_t i = 0;
    const bool fits = ParseInt(token, &i) && (type.kind == Kind::kInt64 || i == static_cast<int32_t>(i));
    if (fits) {
      slot = Value::Int(i);
    } else {
      Note("number " + std::string(token), GoTypeName(type), at);
    }
    return true;
  }

  bool Double(const TypeDesc& type, Value& slot, const Frame* at) {
    std::string_view token;
    if (!reader_.Number(&token)) return false;
    double d = 0;
    if (ParseDouble(token, &d)) {
      slot = Value::Double(d);
    } else {
      Note("number " + std::string(token), GoTypeName(type), at);
    }
    return true;
  }

  bool String(Value& slot) {
    std::string_view s;
    if (!reader_.String(&s)) return false;
    slot = Value::String(s);
    return true;
  }

  bool Bytes(Value& slot) {
    std::string_view text;
    if (!reader_.String(&text)) return false;
    char* bytes = static_cast<char*>(arena_.Allocate(Base64DecodedBound(text.size()), 1));
    auto size = Base64Decode(text, bytes);
    if (size) {
      slot = Value::Bytes({bytes, *size});
    } else if (!mismatch_) {
      mismatch_ = size.error();
    }
    return true;
  }

  // A string or a bare number; like upstream, not unescaped.
  bool Quantity(char c, Value& slot) {
    std::string_view token;
    if (!reader_.Skip(&token)) return false;
    if (c == '"') token = token.substr(1, token.size() - 2);
    const size_t start = token.find_first_not_of(" \t\r\n");
    token = start == token.npos ? "" : token.substr(start, token.find_last_not_of(" \t\r\n") - start + 1);
    auto canonical = CanonicalQuantity(token, arena_);
    if (canonical) {
      slot = Value::String(*canonical);
    } else {
      Fail(std::string(canonical.error()));
    }
    return true;
  }

  bool Timely(const TypeDesc& type, Value& slot) {
    std::string_view text;
    if (!reader_.String(&text)) return false;
    if (type.kind == Kind::kDuration) {
      auto nanos = ParseDuration(text);
      if (!nanos) return Fail(nanos.error());
      slot = Value::Int(*nanos);
      return true;
    }
    const bool micro = type.kind == Kind::kMicroTime;
    auto instant = ParseTime(text, micro ? kMicroTimeLayout : kTimeLayout);
    if (!instant) return Fail(instant.error());
    if (instant->seconds == kZeroTimeSeconds && instant->nanos == 0) {
      slot = {};
    } else {
      slot = Value::Int(micro ? instant->seconds * 1'000'000 + instant->nanos / 1'000 : instant->seconds);
    }
    return true;
  }

  bool IntOrString(char c, Value& slot, const Frame* at) {
    if (c == '"') return String(slot);
    if (!IsNumber(c)) return Failure("int32", at);
    std::string_view token;
    if (!reader_.Number(&token)) return false;
    int32_t i = 0;
    if (!ParseInt(token, &i)) return Fail(MismatchText("number " + std::string(token), "int32", at));
    slot = Value::Int(i);
    return true;
  }

  // An embedded object is kept as it was sent, blanks included: upstream stores it so, and
  // compares its bytes where it may not change. Other JSON loses its blanks.
  bool Raw(const TypeDesc& type, Value& slot) {
    std::string_view token;
    bool has_space = false;
    if (!reader_.Skip(&token, &has_space)) return false;
    slot = Value::String(has_space && &type != &kRawType ? WithoutSpace(token) : token);
    return true;
  }

  std::string_view WithoutSpace(std::string_view json) {
    char* const out = static_cast<char*>(arena_.Allocate(json.size(), 1));
    char* w = out;
    bool in_string = false;
    for (size_t i = 0; i < json.size(); ++i) {
      const char c = json[i];
      if (!in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
      *w++ = c;
      if (c == '"') in_string = !in_string;
      if (c == '\\') *w++ = json[++i];
    }
    return {out, static_cast<size_t>(w - out)};
  }

  static bool IsNumber(char c) { return c == '-' || (c >= '0' && c <= '9'); }

  // What Go calls the value that begins with `c`.
  static std::string_view JsonTypeName(char c) {
    switch (c) {
      case '"': return "string";
      case '{': return "object";
      case '[': return "array";
      case 't':
      case 'f': return "bool";
      case 'n': return "null";
      default: return "number";
    }
  }

  bool Mismatch(const TypeDesc& type, const Frame* at) {
    const char c = reader_.Peek();
    if (!reader_.Skip()) return false;
    if (!mismatch_) Note(JsonTypeName(c), GoTypeAt(type, at), at);
    return true;
  }

  // Go's type of what is at a place: of the field there, or of an element of it.
  static std::string GoTypeAt(const TypeDesc& type, const Frame* at) {
    int elements = 0;
    for (; at && !at->owner; at = at->parent) ++elements;
    std::string_view named = at ? GoScalarType(FieldOwner(*at).name, at->name) : std::string_view();
    for (; elements > 0 && !named.empty(); --elements) {
      const size_t end = named.find(']');
      named = end == named.npos ? std::string_view() : named.substr(end + 1);
    }
    return named.empty() ? GoTypeName(type) : std::string(named);
  }
  // The struct that declares a member, which may be inline in the one it is read into.
  static const TypeDesc& FieldOwner(const Frame& at) {
    return at.inner ? *at.inner->type : at.outer ? *at.outer->type : *at.owner;
  }
  // The same inside a type that reads itself: upstream stops there.
  bool Failure(std::string_view go_type, const Frame* at) {
    const char c = reader_.Peek();
    if (!reader_.Skip()) return false;
    return Fail(MismatchText(JsonTypeName(c), go_type, at));
  }
  bool Fail(std::string message) {
    if (!failure_) failure_ = std::move(message);
    return true;
  }
  void Note(std::string_view value, std::string_view go_type, const Frame* at) {
    if (!mismatch_) mismatch_ = MismatchText(value, go_type, at);
  }

  static std::string MismatchText(std::string_view value, std::string_view go_type, const Frame* at) {
    std::string path;
    const TypeDesc* owner = nullptr;
    for (; at; at = at->parent) {
      if (!at->owner) continue;
      if (!owner) owner = at->owner;
      std::string segment(at->name);
      if (at->inner) segment = std::string(BareName(*at->inner->type)) + "." + segment;
      if (at->outer) segment = std::string(BareName(*at->outer->type)) + "." + segment;
      path = path.empty() ? segment : segment + "." + path;
    }
    std::string text = "json: cannot unmarshal " + std::string(value) + " into Go ";
    text += owner ? "struct field " + std::string(BareName(*owner)) + "." + path : std::string("value");
    return text + " of type " + std::string(go_type);
  }

  void StrictError(std::string_view what, const Frame* at, std::string_view name) {
    if (strict_->size() >= kMaxStrictErrors || strict_bytes_ > kMaxStrictBytes) return;
    std::vector<const Frame*> frames;
    for (; at; at = at->parent) frames.push_back(at);
    std::string path;
    for (size_t i = frames.size(); i-- > 0;) {
      const bool index = frames[i]->index >= 0;  // follows its list without a dot: containers[0].name
      if (!index && !path.empty()) path += '.';
      index ? path.append("[").append(std::to_string(frames[i]->index)).append("]")
            : path.append(frames[i]->name);
    }
    if (!frames.empty()) path += '.';
    path += name;
    std::string error = std::string(what) + " " + GoQuote(path);
    if (std::find(strict_->begin(), strict_->end(), error) != strict_->end()) return;
    strict_bytes_ += error.size();
    strict_->push_back(std::move(error));
  }

  JsonReader reader_;
  Arena& arena_;
  StrictErrors* strict_;
  size_t strict_bytes_ = 0;
  std::optional<std::string> mismatch_;  // the first value of a wrong type
  std::optional<std::string> failure_;   // the first error of a type that reads itself
};

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

const DecodeError& BadUtf8() {
  static const DecodeError error{"invalid UTF-8 in JSON text", /*syntax=*/true};
  return error;
}

}  // namespace

base::Result<StructNode*, DecodeError> Decode(std::string_view text, const TypeDesc& type, Arena& arena,
                                              StrictErrors* strict) {
  const auto pass = codec::Pass::Decode();
  if (!IsUtf8(text)) return base::Err(BadUtf8());
  return Decoder(text, arena, strict).Document(type);
}

base::Result<Value, DecodeError> DecodeAny(std::string_view text, Arena& arena, StrictErrors* strict) {
  const auto pass = codec::Pass::Decode();
  if (!IsUtf8(text)) return base::Err(BadUtf8());
  return Decoder(text, arena, strict).AnyDocument();
}

bool IsValid(std::string_view text) {
  if (!IsUtf8(text)) return false;
  Arena arena;
  JsonReader reader(text, arena);
  return reader.Skip() && reader.AtEnd();
}

base::Result<TypeMeta, DecodeError> PeekTypeMeta(std::string_view text) {
  if (!IsUtf8(text)) return base::Err(BadUtf8());
  Arena arena;
  JsonReader reader(text, arena);
  auto malformed = [&] { return base::Err(DecodeError{reader.error(), /*syntax=*/true}); };
  auto mismatch = [](std::string_view what, std::string_view where) {
    return base::Err(
        DecodeError{"json: cannot unmarshal " + std::string(what) + " into Go " + std::string(where)});
  };
  TypeMeta meta;
  const char begin = reader.Peek();
  if (begin != '{') {
    if (!reader.Skip() || !reader.AtEnd()) return malformed();
    if (begin == 'n') return meta;
    return mismatch(
        begin == '['                   ? "array"
        : begin == '"'                 ? "string"
        : begin == 't' || begin == 'f' ? "bool"
                                       : "number",
        "value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }");
  }
  if (!reader.BeginContainer()) return malformed();
  bool more = true;
  std::string_view name;
  for (bool first = true; meta.kind.empty() || meta.api_version.empty(); first = false) {
    if (!reader.NextMember(first, &name, &more)) return malformed();
    if (!more) break;
    std::string* target = name == "kind" ? &meta.kind : name == "apiVersion" ? &meta.api_version : nullptr;
    const char c = reader.Peek();
    if (target && c == '"') {
      std::string_view s;
      if (!reader.String(&s)) return malformed();
      *target = s;
      continue;
    }
    if (!reader.Skip()) return malformed();
    if (target && c != 'n') {
      const std::string_view what = c == '{'               ? "object"
                                    : c == '['             ? "array"
                                    : c == 't' || c == 'f' ? "bool"
                                                           : "number";
      return mismatch(what, "struct field ." + std::string(name) + " of type string");
    }
  }
  if (!more && !reader.AtEnd()) return malformed();
  return meta;
}

}  // namespace keelson::api::json
