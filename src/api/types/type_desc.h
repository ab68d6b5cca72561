// TypeDesc: what the server knows of a type, built-in or custom. Decoding, encoding,
// pruning, defaulting, merging and publishing all walk this one graph.
//
// Built-in descriptions are constant tables that schemac writes from schema/*.kschema; those
// of custom resources are compiled at run time into the same form. Immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace keelson::api {

// How a value is held in a document (see doc.h) and how it is written.
enum class Kind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kBytes,        // JSON: base64
  kQuantity,     // JSON: canonical string; protobuf: message {1: string}
  kTime,         // JSON: RFC3339, whole seconds; protobuf: message {1: seconds, 2: nanos}
  kMicroTime,    // the same with six fraction digits
  kDuration,     // JSON: Go's notation, "1h2m3s"; protobuf: message {1: nanoseconds}
  kIntOrString,  // protobuf: message {1: type, 2: int, 3: string}
  kRaw,          // RawExtension, FieldsV1: any JSON, kept as text; protobuf: message {1: bytes}
  kStruct,
  kList,
  kMap,  // string keys
  kAny,  // any JSON value, kept as a tree (custom resources)
};

struct TypeDesc;
struct FieldDesc;

// A default that defaulting fills in where the field is absent.
struct DefaultValue {
  enum class Tag : uint8_t { kNone, kBool, kInt, kString, kEmptyStruct };
  Tag tag = Tag::kNone;
  int64_t number = 0;
  std::string_view text;
};

enum class ListType : uint8_t { kUnspecified, kAtomic, kSet, kMap };

struct FieldDesc {
  enum Flag : uint16_t {
    kPointer = 1 << 0,    // absent differs from zero; protobuf writes it only when present
    kOmitEmpty = 1 << 1,  // JSON leaves out zero scalars, empty lists and maps, absent structs
    kOmitZero = 1 << 2,   // JSON leaves out a zero time, an empty struct
    kInline = 1 << 3,     // JSON members appear in the parent; protobuf nests
    kRequired = 1 << 4,   // listed as required when published
    kTypeMeta = 1 << 5,   // kind, apiVersion of a root type: in JSON and the envelope only
    kImmutable = 1 << 6,
    kMessageList = 1 << 7,  // protobuf wraps the list in a message {repeated 1} (Verbs)
    kPatchMerge = 1 << 8,
    kPatchRetainKeys = 1 << 9,
    kAtomicMap = 1 << 10,    // x-kubernetes-map-type: atomic, on the field
    kGranularMap = 1 << 11,  // the field takes back what its atomic type says
  };

  std::string_view name;      // JSON name; empty when inline
  std::string_view json_key;  // `"name":`, ready to be written
  uint16_t number = 0;        // protobuf; 0: no protobuf form
  uint16_t ordinal = 0;       // slot in a StructNode, index into TypeDesc::fields
  uint16_t flags = 0;
  ListType list_type = ListType::kUnspecified;
  const TypeDesc* type = nullptr;
  std::span<const std::string_view> list_map_keys;
  std::string_view patch_merge_key;
  std::span<const std::string_view> enum_values;
  DefaultValue default_value;

  bool has(Flag f) const { return (flags & f) != 0; }
};

// Where a JSON member lives: a field of the type, or of a struct inlined in it.
struct MemberRef {
  const FieldDesc* outer = nullptr;  // the inline field to step into first; null: none
  const FieldDesc* inner = nullptr;  // the inline field of `outer` to step into next; null: none
  const FieldDesc* field = nullptr;  // null: no such member
  uint16_t index = 0;                // into TypeDesc::members
};

struct TypeDesc {
  // "core_v1.PodSpec"; for lists and maps the notation, "[core_v1.Container]". A struct has
  // one TypeDesc; the same list may have several.
  std::string_view name;
  Kind kind = Kind::kStruct;

  // kList, kMap: what they hold.
  const TypeDesc* element = nullptr;

  // kStruct: fields in order of declaration (the order of JSON), ordinal == index.
  std::span<const FieldDesc> fields;
  // Ordinals of the fields with a protobuf form, in order of number (the order of protobuf).
  std::span<const uint16_t> by_number;
  // Ordinal + 1 of the field with that number; 0: none. Indexed by number.
  std::span<const uint16_t> number_to_ordinal;
  // Members by JSON name, inline ones included, sorted by name.
  struct Member {
    std::string_view name;
    uint16_t outer = 0;  // ordinal + 1 of the inline field; 0: a field of this type
    uint16_t inner = 0;  // ordinal + 1 of the inline field of that one; 0: a field of it
    uint16_t field = 0;  // ordinal in the type so reached
  };
  std::span<const Member> members;
  bool root = false;    // has kind and apiVersion as fields 0 and 1
  bool atomic = false;  // x-kubernetes-map-type: atomic
  // JSON shows the one field that is set, without its name: a struct, a list or a bool.
  // Where there is a bool, it is also true when a struct is given.
  bool either = false;

  const FieldDesc* FieldByNumber(uint32_t number) const {
    if (number >= number_to_ordinal.size() || number_to_ordinal[number] == 0) return nullptr;
    return &fields[number_to_ordinal[number] - 1];
  }
  // Exact match, as Kubernetes compares names.
  MemberRef FindMember(std::string_view json_name) const;
  MemberRef Resolve(const Member& member) const;
};

}  // namespace keelson::api
