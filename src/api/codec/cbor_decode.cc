#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/cbor.h"
#include "api/codec/cbor_reader.h"
#include "api/codec/go_names.h"
#include "api/codec/json_presence.h"
#include "api/codec/map_builder.h"
#include "api/codec/passes.h"
#include "api/codec/quantity.h"
#include "api/codec/seen_fields.h"
#include "api/codec/time_format.h"

namespace keelson::api::cbor {
namespace {

std::string Negative(uint64_t argument) {
  return argument == UINT64_MAX ? "-18446744073709551616" : "-" + std::to_string(argument + 1);
}

// A value that upstream's decoder does not take is noted and skipped; the first one noted is
// the error. What is well formed is known before.
class Decoder {
 public:
  Decoder(std::string_view bytes, Arena& arena, bool find_unknown)
      : reader_(bytes, arena), arena_(arena), find_unknown_(find_unknown) {}

  base::Result<StructNode*, DecodeError> Document(const TypeDesc& type, StrictErrors* strict) {
    root_ = &type;
    Value root;
    if (reader_.AtNull()) {
      reader_.Skip();
    } else {
      Any(type, root);
    }
    if (error_) return base::Err(DecodeError{*std::move(error_)});
    if (unknown_) strict->push_back(*std::move(unknown_));
    return root.node() ? root.node() : StructNode::New(type, arena_);
  }

  base::Result<Value, DecodeError> AnyDocument() {
    Value root;
    Tree(root);
    if (error_) return base::Err(DecodeError{*std::move(error_)});
    return root;
  }

 private:
  // A value that is not null, or the element of a list or map.
  void Any(const TypeDesc& type, Value& slot) {
    const uint64_t outer = later_;
    if (Tags()) Untagged(type, slot);
    later_ = outer;
  }

  void Untagged(const TypeDesc& type, Value& slot) {
    const Major major = reader_.Peek();
    const bool text = major == Major::kBytes || major == Major::kText;
    switch (type.kind) {
      case Kind::kBool: return Boolean(type, slot);
      case Kind::kInt32:
      case Kind::kInt64: return Integer(type, slot);
      case Kind::kDouble: return Double(type, slot);
      case Kind::kString: return text ? String(slot) : Mismatch("string");
      case Kind::kBytes: return major == Major::kBytes ? Bytes(slot) : Mismatch("[]uint8");
      case Kind::kQuantity:
      case Kind::kTime:
      case Kind::kMicroTime: return text ? Textual(type, slot) : Mismatch("string");
      case Kind::kDuration:
        return text ? Textual(type, slot)
                    : SkipAndFail("json: cannot unmarshal " + std::string(JsonName(major)) +
                                  " into Go value of type string");
      case Kind::kIntOrString: return text ? String(slot) : Integer(kIntOrStringNumber, slot);
      case Kind::kRaw: return Raw(slot);
      case Kind::kStruct:
        if (type.either) return Either(type, slot);
        if (major == Major::kArray)
          return Mismatch(GoTypeName(type), "cannot decode CBOR array to struct without toarray option");
        return major == Major::kMap ? Struct(type, slot) : Mismatch(GoTypeName(type));
      case Kind::kList: return major == Major::kArray ? List(type, slot) : Mismatch(GoTypeName(type));
      case Kind::kMap: return major == Major::kMap ? Map(type, slot) : Mismatch(GoTypeName(type));
      case Kind::kAny: return Tree(slot);
    }
  }

  // Takes the tags of a value. False when one does not go with it: the value is skipped.
  bool Tags(uint64_t* time_tag = nullptr) {
    while (reader_.Peek() == Major::kTag) {
      const uint64_t tag = reader_.Take().argument;
      const Major content = reader_.Peek();
      const bool number = content == Major::kUnsigned || content == Major::kNegative || AtFloat();
      if ((tag == kTimeTag && content != Major::kText) || (tag == kEpochTag && !number)) {
        SkipAndFail("cbor: tag number " + std::to_string(tag) + " must be followed by " +
                    (tag == kTimeTag ? "text string" : "integer or floating-point number") + ", got " +
                    std::string(MajorName(content)));
        return false;
      }
      if (tag == kBase64UrlTag || tag == kBase64Tag || tag == kBase16Tag) later_ = tag;
      if (time_tag && tag <= kEpochTag) *time_tag = tag;
    }
    return true;
  }

  bool AtFloat() {
    if (reader_.Peek() != Major::kSimple) return false;
    const size_t here = reader_.position();
    const uint8_t info = reader_.Take().info;
    reader_.MoveTo(here);
    return info >= kHalf && info <= kDouble;
  }

  void Element(const TypeDesc& type, Value& slot) {
    if (!reader_.AtNull()) return Any(type, slot);
    slot = ZeroElementOf(type);
    reader_.Skip();
  }
  Value ZeroElementOf(const TypeDesc& type) { return json::ZeroElement(type, arena_); }

  // null makes a pointer, list or map absent and leaves anything else as it was.
  void Field(const FieldDesc& field, Value& slot) {
    const bool pointer = field.has(FieldDesc::kPointer);
    if (!reader_.AtNull() && !(pointer && reader_.AtUndefined())) return Any(*field.type, slot);
    switch (field.type->kind) {
      case Kind::kAny: slot = Value::Null(); break;
      case Kind::kBytes:
      case Kind::kList:
      case Kind::kMap:
      case Kind::kTime:
      case Kind::kMicroTime:
      case Kind::kQuantity: slot = {}; break;
      default:
        if (pointer) slot = {};
    }
    reader_.Skip();
  }

  void Struct(const TypeDesc& type, Value& slot) {
    if (!slot.node()) slot = Value::Of(StructNode::New(type, arena_));
    StructNode* const node = slot.node();
    const bool at_root = &type == root_ && top_.empty();
    const bool failed_before = error_.has_value();
    bool reports_unknown = find_unknown_ && !unknown_;  // rather than what a member of it has
    SeenFields seen;
    std::unordered_set<std::string_view> unknown;  // keys, to find the duplicates among them
    const Head head = reader_.Take();
    for (uint64_t i = 0; reader_.More(head, i); ++i) {
      MemberRef member;
      std::string_view key;
      std::string shown;  // the key in errors
      const size_t start = reader_.position();
      if (!MemberKey(&key, &shown)) {
        reader_.Skip();
        continue;
      }
      if (!shown.empty()) {
        key = Since(start);
      } else {
        member = type.FindMember(key);
        shown = GoQuote(key);
      }
      const bool again = member.field ? seen.Mark(type, member) : !unknown.insert(key).second;
      if (again) return Duplicate(head, i, shown, failed_before);
      if (!member.field) {
        if (std::exchange(reports_unknown, false))
          unknown_ = "cbor: found unknown field at map element index " + std::to_string(i);
        reader_.Skip();
        continue;
      }
      StructNode* owner = node;
      if (member.outer) owner = Inline(*owner, *member.outer);
      if (member.inner) owner = Inline(*owner, *member.inner);
      if (at_root) top_ = member.field->name;
      Field(*member.field, owner->slot(member.field->ordinal));
      if (at_root) top_ = {};
    }
  }

  // The key of a struct's member: a string or, with `shown` set, an integer, which no member
  // has. False when it can be no key.
  bool MemberKey(std::string_view* key, std::string* shown) {
    switch (reader_.Peek()) {
      case Major::kBytes:
      case Major::kText: return reader_.String(key) || BadUtf8();
      case Major::kUnsigned: *shown = std::to_string(reader_.Take().argument); return true;
      case Major::kNegative: *shown = Negative(reader_.Take().argument); return true;
      default: {
        const std::string name(MajorName(reader_.Peek()));
        Mismatch("string", "map key is of type " + name + " and cannot be used to match struct field name");
        return false;
      }
    }
  }
  std::string_view Since(size_t start) { return reader_.Range(start, reader_.position()); }

  StructNode* Inline(StructNode& owner, const FieldDesc& field) {
    Value& slot = owner.slot(field.ordinal);
    if (!slot.node()) slot = Value::Of(StructNode::New(*field.type, arena_));
    return slot.node();
  }

  // The rest of the map is not looked at. Prevails over what was wrong in it before.
  void Duplicate(const Head& head, uint64_t i, std::string_view shown, bool failed_before) {
    if (!failed_before) error_ = DuplicateText(shown, i);
    for (reader_.Skip(); reader_.More(head, ++i);) {
      reader_.Skip();
      reader_.Skip();
    }
  }
  static std::string DuplicateText(std::string_view shown, uint64_t i) {
    return "cbor: found duplicate map key " + std::string(shown) + " at map element index " +
           std::to_string(i);
  }

  // The field is known by the form of the value.
  void Either(const TypeDesc& type, Value& slot) {
    const Major major = reader_.Peek();
    const Kind wanted = major == Major::kMap     ? Kind::kStruct
                        : major == Major::kArray ? Kind::kList
                        : AtBoolean()            ? Kind::kBool
                                                 : Kind::kAny;
    const FieldDesc* chosen = nullptr;
    const FieldDesc* flag = nullptr;
    for (const FieldDesc& field : type.fields) {
      if (field.type->kind == wanted) chosen = &field;
      if (field.type->kind == Kind::kBool) flag = &field;
    }
    if (!chosen && flag) return SkipAndFail("boolean or JSON schema expected");
    StructNode* const node = StructNode::New(type, arena_);
    slot = Value::Of(node);
    if (!chosen) return reader_.Skip();
    if (flag) node->slot(flag->ordinal) = Value::Bool(true);
    Untagged(*chosen->type, node->slot(chosen->ordinal));
  }
  bool AtBoolean() {
    const size_t here = reader_.position();
    const Head head = reader_.Take();
    reader_.MoveTo(here);
    return head.major == Major::kSimple && (head.info == kFalse || head.info == kTrue);
  }

  void List(const TypeDesc& type, Value& slot) {
    ListNode* const list = ListNode::New(type.element, arena_);
    slot = Value::Of(list);
    const Head head = reader_.Take();
    for (uint64_t i = 0; reader_.More(head, i); ++i) {
      Value item;
      Element(*type.element, item);
      // Where a value of the wrong type stood, something must still stand for it.
      if (item.absent() && type.element->kind == Kind::kStruct) item = ZeroElementOf(*type.element);
      list->Append(item, arena_);
    }
  }

  void Map(const TypeDesc& type, Value& slot) {
    if (!slot.map()) slot = Value::Of(MapNode::New(type.element, arena_));
    Entries(*slot.map(), [&](Value& value) {
      Element(*type.element, value);
      if (value.absent() && type.element->kind == Kind::kStruct) value = ZeroElementOf(*type.element);
    });
  }

  template <class ReadValue>
  void Entries(MapNode& map, ReadValue&& read) {
    const bool failed_before = error_.has_value();
    const size_t start = reader_.position();
    const Head head = reader_.Take();
    MapBuilder builder(map, arena_);
    for (uint64_t i = 0; reader_.More(head, i); ++i) {
      std::string_view key;
      if (!EntryKey(&key)) {
        reader_.Skip();
        continue;
      }
      Value value;
      read(value);
      builder.Add(key, value);
    }
    bool repeated = false;
    builder.Finish([&](std::string_view) { repeated = true; });
    if (repeated && !failed_before) error_ = FirstDuplicate(start);
  }

  bool EntryKey(std::string_view* key) {
    Value text;
    const bool failed_before = error_.has_value();
    Any(kKeyType, text);
    *key = text.string();
    return failed_before || !error_;
  }

  // Which key of the map at `start` is the first to come again.
  std::string FirstDuplicate(size_t start) {
    const size_t end = reader_.position();
    reader_.MoveTo(start);
    const Head head = reader_.Take();
    std::unordered_set<std::string_view> keys;
    std::string found;
    for (uint64_t i = 0; found.empty() && reader_.More(head, i); ++i) {
      std::string_view key;
      if (EntryKey(&key) && !keys.insert(key).second) found = DuplicateText(GoQuote(key), i);
      reader_.Skip();
    }
    reader_.MoveTo(end);
    return found;
  }

  // Any value as a tree. This nests as deep as the limit allows, so what happens at each
  // level is kept in functions of its own, with small frames.
  void Tree(Value& slot) {
    const uint64_t outer = later_;
    uint64_t time_tag = UINT64_MAX;
    if (Tags(&time_tag)) {
      if (time_tag != UINT64_MAX) {
        TimeText(time_tag, slot);
      } else if (reader_.Peek() == Major::kMap) {
        TreeMap(slot);
      } else if (reader_.Peek() == Major::kArray) {
        TreeList(slot);
      } else {
        Leaf(slot);
      }
    }
    later_ = outer;
  }

  [[gnu::noinline]] void TreeMap(Value& slot) {
    slot = Value::Of(MapNode::New(nullptr, arena_));
    Entries(*slot.map(), [this](Value& value) { Tree(value); });
  }

  [[gnu::noinline]] void TreeList(Value& slot) {
    ListNode* const list = ListNode::New(nullptr, arena_);
    slot = Value::Of(list);
    const Head head = reader_.Take();
    for (uint64_t i = 0; reader_.More(head, i); ++i) {
      Value item;
      Tree(item);
      list->Append(item, arena_);
    }
  }

  [[gnu::noinline]] void Leaf(Value& slot) {
    slot = Value::Null();
    switch (reader_.Peek()) {
      case Major::kBytes:
      case Major::kText: return String(slot);
      case Major::kUnsigned:
      case Major::kNegative: return Integer(kAnyInteger, slot);
      default: break;
    }
    const Head head = reader_.Take();
    if (head.info >= kHalf && head.info <= kDouble) {
      slot = Value::Double(FloatOf(head));
    } else if (head.info == kFalse || head.info == kTrue) {
      slot = Value::Bool(head.info == kTrue);
    } else if (head.info != kNull) {
      UnknownSimple(head);
    }
  }

  [[gnu::noinline]] void TimeText(uint64_t tag, Value& slot) {
    if (tag == kTimeTag) {
      String(slot);
      if (auto parsed = ParseTime(slot.string()); !parsed)
        Note("cbor: cannot set " + std::string(slot.string()) + " for time.Time: " + parsed.error());
      return;
    }
    Value number;
    Double(kAnyDouble, number);
    constexpr double kFirst = -62'135'596'800, kPast = 253'402'300'800;  // the years 1 to 9999
    const double seconds = std::floor(number.real());
    if (!(seconds >= kFirst && seconds < kPast))
      return Note("cbor: decoded time cannot be represented in RFC3339 format with sub-second precision");
    char text[kMaxTimeSize + 16];
    char* end = FormatTime(static_cast<int64_t>(seconds), text);
    const auto nanos = static_cast<int64_t>((number.real() - seconds) * 1e9);
    if (nanos > 0) {
      std::string digits = std::to_string(1'000'000'000 + nanos).substr(1);
      digits.erase(digits.find_last_not_of('0') + 1);
      end[-1] = '.';
      end = std::copy(digits.begin(), digits.end(), end);
      *end++ = 'Z';
    }
    slot = Value::String(arena_.CopyString({text, static_cast<size_t>(end - text)}));
  }

  void Boolean(const TypeDesc& type, Value& slot) {
    if (!AtBoolean()) return Mismatch(GoTypeName(type));
    slot = Value::Bool(reader_.Take().info == kTrue);
  }

  void Integer(const TypeDesc& type, Value& slot) {
    const Major major = reader_.Peek();
    if (major != Major::kUnsigned && major != Major::kNegative) return Mismatch(GoTypeName(type));
    const uint64_t argument = reader_.Take().argument;
    const bool negative = major == Major::kNegative;
    const int64_t i = negative ? ~static_cast<int64_t>(argument) : static_cast<int64_t>(argument);
    const bool huge = argument > INT64_MAX;
    if (!huge && (type.kind == Kind::kInt64 || i == static_cast<int32_t>(i))) {
      slot = Value::Int(i);
      return;
    }
    const std::string go_type = GoTypeName(type);
    const std::string into = huge && (negative || &type == &kAnyInteger) ? "Go's int64" : go_type;
    Note(MismatchText(major, go_type) + " (" + (negative ? Negative(argument) : std::to_string(argument)) +
         " overflows " + into + ")");
  }

  void Double(const TypeDesc& type, Value& slot) {
    const Major major = reader_.Peek();
    if (major == Major::kUnsigned || major == Major::kNegative) {
      const auto argument = static_cast<double>(reader_.Take().argument);
      slot = Value::Double(major == Major::kNegative ? -1 - argument : argument);
      return;
    }
    if (!AtFloat()) return Mismatch(GoTypeName(type));
    slot = Value::Double(FloatOf(reader_.Take()));
  }

  // Bytes with a later encoding become that; text stays what it is.
  void String(Value& slot) {
    const bool bytes = reader_.Peek() == Major::kBytes;
    std::string_view s;
    if (!reader_.String(&s)) return void(BadUtf8());
    slot = Value::String(bytes && later_ ? Encoded(s) : s);
  }

  std::string_view Encoded(std::string_view bytes) {
    if (later_ == kBase16Tag) {
      static constexpr char kHex[] = "0123456789abcdef";
      char* const hex = static_cast<char*>(arena_.Allocate(bytes.size() * 2, 1));
      for (size_t i = 0; i < bytes.size(); ++i) {
        hex[2 * i] = kHex[static_cast<uint8_t>(bytes[i]) >> 4];
        hex[2 * i + 1] = kHex[bytes[i] & 15];
      }
      return {hex, bytes.size() * 2};
    }
    char* const text = static_cast<char*>(arena_.Allocate(Base64EncodedSize(bytes.size()), 1));
    char* end = Base64Encode(bytes, text);
    if (later_ == kBase64UrlTag) {
      while (end > text && end[-1] == '=') --end;
      for (char* c = text; c < end; ++c) *c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
    }
    return {text, static_cast<size_t>(end - text)};
  }

  // Without a tag the bytes are base64, as in JSON.
  void Bytes(Value& slot) {
    std::string_view s;
    reader_.String(&s);
    if (later_) {
      slot = Value::Bytes(s);
      return;
    }
    char* const bytes = static_cast<char*>(arena_.Allocate(Base64DecodedBound(s.size()), 1));
    auto size = Base64Decode(s, bytes);
    if (!size) return Note("cbor: failed to decode base64 from byte string: " + size.error());
    slot = Value::Bytes({bytes, *size});
  }

  // The types whose JSON is a string with a meaning.
  void Textual(const TypeDesc& type, Value& slot) {
    Value text;
    String(text);
    if (text.absent()) return;
    std::string_view s = text.string();
    if (type.kind == Kind::kQuantity) {
      const size_t start = s.find_first_not_of(" \t\r\n");
      s = start == s.npos ? "" : s.substr(start, s.find_last_not_of(" \t\r\n") - start + 1);
      auto canonical = CanonicalQuantity(s, arena_);
      if (!canonical) return Note(std::string(canonical.error()));
      slot = Value::String(*canonical);
    } else if (type.kind == Kind::kDuration) {
      auto nanos = ParseDuration(s);
      if (!nanos) return Note(nanos.error());
      slot = Value::Int(*nanos);
    } else {
      const bool micro = type.kind == Kind::kMicroTime;
      auto instant = ParseTime(s, micro ? kMicroTimeLayout : kTimeLayout);
      if (!instant) return Note(instant.error());
      const bool zero = instant->seconds == kZeroTimeSeconds && instant->nanos == 0;
      slot = zero    ? Value()
             : micro ? Value::Int(instant->seconds * 1'000'000 + instant->nanos / 1'000)
                     : Value::Int(instant->seconds);
    }
  }

  // Kept as JSON text.
  void Raw(Value& slot) {
    Value tree;
    Tree(tree);
    if (error_) return;
    base::BufferBuilder json;
    json::EncodeAny(tree, json);
    slot = Value::String(arena_.Hold(json.Take()));
  }

  static std::string_view JsonName(Major major) {
    switch (major) {
      case Major::kArray: return "array";
      case Major::kMap: return "object";
      case Major::kSimple: return "bool";
      default: return "number";
    }
  }

  void UnknownSimple(const Head& head) {
    Note("cbor: data item of cbor type primitives is not accepted by protocol: simple value " +
         std::to_string(head.argument) + " is not recognized");
  }
  bool BadUtf8() {
    Note("cbor: invalid UTF-8 string");
    return false;
  }
  // A value of another kind than the type has.
  void Mismatch(std::string_view go_type, std::string_view why = {}) {
    const Major major = reader_.Peek();
    if (major == Major::kSimple) {
      const Head head = reader_.Take();
      const bool known = head.info >= kHalf || (head.info >= kFalse && head.info <= kNull);
      if (!known) return UnknownSimple(head);
      if (head.info == kNull) return;
    } else {
      reader_.Skip();
    }
    std::string text = MismatchText(major, go_type);
    Note(why.empty() ? text : text + " (" + std::string(why) + ")");
  }
  // Upstream names the member of the root that the value is in, however deep.
  std::string MismatchText(Major major, std::string_view go_type) const {
    std::string text = "cbor: cannot unmarshal " + std::string(MajorName(major)) + " into Go ";
    text +=
        top_.empty() ? std::string("value") : "struct field " + GoTypeName(*root_) + "." + std::string(top_);
    return text + " of type " + std::string(go_type);
  }
  void SkipAndFail(std::string why) {
    reader_.Skip();
    Note(std::move(why));
  }
  void Note(std::string why) {
    if (!error_) error_ = std::move(why);
  }

  static constexpr TypeDesc kKeyType{.name = "string", .kind = Kind::kString};
  static constexpr TypeDesc kAnyInteger{.name = "int64", .kind = Kind::kInt64};
  static constexpr TypeDesc kAnyDouble{.name = "float64", .kind = Kind::kDouble};
  static constexpr TypeDesc kIntOrStringNumber{.name = "int32", .kind = Kind::kInt32};

  CborReader reader_;
  Arena& arena_;
  const bool find_unknown_;
  const TypeDesc* root_ = nullptr;
  std::string_view top_;  // the root's member being read
  uint64_t later_ = 0;    // the later encoding that the tags around ask for; 0: none
  std::optional<std::string> error_;
  std::optional<std::string> unknown_;
};

}  // namespace

base::Result<StructNode*, DecodeError> Decode(std::string_view bytes, const TypeDesc& type, Arena& arena,
                                              StrictErrors* strict) {
  const auto pass = codec::Pass::Decode();
  if (auto malformed = FindMalformed(bytes)) return base::Err(DecodeError{*std::move(malformed), true});
  return Decoder(bytes, arena, strict != nullptr).Document(type, strict);
}

base::Result<Value, DecodeError> DecodeAny(std::string_view bytes, Arena& arena) {
  const auto pass = codec::Pass::Decode();
  if (auto malformed = FindMalformed(bytes)) return base::Err(DecodeError{*std::move(malformed), true});
  return Decoder(bytes, arena, false).AnyDocument();
}

base::Result<TypeMeta, DecodeError> PeekTypeMeta(std::string_view bytes) {
  static constexpr TypeDesc kText{.name = "string", .kind = Kind::kString};
  static constexpr FieldDesc kFields[] = {{.name = "apiVersion", .ordinal = 0, .type = &kText},
                                          {.name = "kind", .ordinal = 1, .type = &kText}};
  static constexpr TypeDesc::Member kMembers[] = {{.name = "apiVersion", .field = 0},
                                                  {.name = "kind", .field = 1}};
  static constexpr TypeDesc kTypeMeta{.name = "meta_v1.TypeMeta", .fields = kFields, .members = kMembers};
  Arena arena;
  auto meta = TRY(Decode(bytes, kTypeMeta, arena, nullptr));
  return TypeMeta{std::string(meta->slot(0).string()), std::string(meta->slot(1).string())};
}

}  // namespace keelson::api::cbor
