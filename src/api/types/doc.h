// Doc: an object while a request works on it. A tree in an arena: a struct is an array of
// slots by field ordinal, so reading a field is an index and not a search.
//
// Go's rules of presence apply: an absent scalar without kPointer reads as zero, and
// writing zero to it is the same as removing it.
//
// Threads: a Doc belongs to one request. Lifetime: nodes and strings live as long as the
// arena; views into a Doc must not outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/types/arena.h"
#include "api/types/type_desc.h"

namespace keelson::api {

struct StructNode;
struct ListNode;
struct MapNode;

// One value in 16 bytes. What each Kind holds:
//   kBool → kBool; kInt32, kInt64 → kInt; kDouble → kDouble; kString → kString;
//   kBytes → kBytes (decoded); kQuantity → kString (canonical);
//   kTime → kInt (Unix seconds); kMicroTime → kInt (Unix microseconds);
//   kDuration → kInt (nanoseconds); kIntOrString → kInt or kString;
//   kRaw → kString (JSON text); kStruct → kStruct; kList → kList; kMap → kMap;
//   kAny → any of kNull, kBool, kInt, kDouble, kString, kList, kMap of kAny.
// The zero time is absent.
class Value {
 public:
  enum class Tag : uint8_t { kAbsent, kNull, kBool, kInt, kDouble, kString, kBytes, kStruct, kList, kMap };

  constexpr Value() = default;
  static Value Null() { return Value(Tag::kNull); }
  static Value Bool(bool b) {
    Value v(Tag::kBool);
    v.u_.i = b;
    return v;
  }
  static Value Int(int64_t i) {
    Value v(Tag::kInt);
    v.u_.i = i;
    return v;
  }
  static Value Double(double d) {
    Value v(Tag::kDouble);
    v.u_.d = d;
    return v;
  }
  // The bytes must live in the arena, in a held slice or forever.
  static Value String(std::string_view s) { return Chars(Tag::kString, s); }
  static Value Bytes(std::string_view s) { return Chars(Tag::kBytes, s); }
  static Value Of(StructNode* n) {
    Value v(Tag::kStruct);
    v.u_.node = n;
    return v;
  }
  static Value Of(ListNode* n) {
    Value v(Tag::kList);
    v.u_.list = n;
    return v;
  }
  static Value Of(MapNode* n) {
    Value v(Tag::kMap);
    v.u_.map = n;
    return v;
  }

  Tag tag() const { return tag_; }
  bool absent() const { return tag_ == Tag::kAbsent; }
  bool is(Tag t) const { return tag_ == t; }

  // Each reads as zero, empty or null when the value is absent.
  bool boolean() const { return tag_ == Tag::kBool && u_.i != 0; }
  int64_t integer() const { return tag_ == Tag::kInt ? u_.i : 0; }
  double real() const { return tag_ == Tag::kDouble ? u_.d : static_cast<double>(integer()); }
  std::string_view string() const {
    return tag_ == Tag::kString || tag_ == Tag::kBytes ? std::string_view(u_.s, size_) : std::string_view();
  }
  StructNode* node() const { return tag_ == Tag::kStruct ? u_.node : nullptr; }
  ListNode* list() const { return tag_ == Tag::kList ? u_.list : nullptr; }
  MapNode* map() const { return tag_ == Tag::kMap ? u_.map : nullptr; }

 private:
  explicit constexpr Value(Tag t) : tag_(t) {}
  static Value Chars(Tag t, std::string_view s) {
    Value v(t);
    v.size_ = static_cast<uint32_t>(s.size());
    v.u_.s = s.data();
    return v;
  }

  Tag tag_ = Tag::kAbsent;
  uint32_t size_ = 0;
  union {
    int64_t i;
    double d;
    const char* s;
    StructNode* node;
    ListNode* list;
    MapNode* map;
  } u_{.i = 0};
};
static_assert(sizeof(Value) == 16);

// type->fields.size() slots follow the node in memory.
struct StructNode {
  const TypeDesc* type;

  std::span<Value> slots() { return {reinterpret_cast<Value*>(this + 1), type->fields.size()}; }
  std::span<const Value> slots() const {
    return {reinterpret_cast<const Value*>(this + 1), type->fields.size()};
  }
  Value& slot(size_t ordinal) { return reinterpret_cast<Value*>(this + 1)[ordinal]; }
  const Value& slot(size_t ordinal) const { return reinterpret_cast<const Value*>(this + 1)[ordinal]; }

  static StructNode* New(const TypeDesc& type, Arena& arena);
};

struct ListNode {
  const TypeDesc* element;  // null in kAny trees
  Value* data = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;

  std::span<Value> items() { return {data, size}; }
  std::span<const Value> items() const { return {data, size}; }
  void Append(Value v, Arena& arena);
  // Removes element i, keeping order.
  void Erase(size_t i);

  static ListNode* New(const TypeDesc* element, Arena& arena);
};

// Entries sorted by key, as both encodings write them.
struct MapNode {
  struct Entry {
    std::string_view key;
    Value value;
  };
  const TypeDesc* element;  // null in kAny trees
  Entry* data = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;

  std::span<Entry> entries() { return {data, size}; }
  std::span<const Entry> entries() const { return {data, size}; }
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // Sets or replaces. `key` must live as long as the arena.
  void Set(std::string_view key, Value v, Arena& arena);
  void Erase(std::string_view key);

  static MapNode* New(const TypeDesc* element, Arena& arena);
};

// The same content, read as `type`: absent equals zero where presence has no meaning, and
// a list or map that is empty equals one that is absent, as in upstream's semantic
// comparison.
bool Equal(const Value& a, const Value& b, const TypeDesc& type);
// The same for two structs of one type; null reads as absent.
bool Equal(const StructNode* a, const StructNode* b);
// A copy whose nodes and strings all live in `arena`.
Value DeepCopy(const Value& v, Arena& arena);

// A root object with the arena that holds it. Move only.
class Doc {
 public:
  Doc() = default;
  explicit Doc(const TypeDesc& type) : root_(StructNode::New(type, arena_)) {}
  Doc(Arena arena, StructNode* root) : arena_(std::move(arena)), root_(root) {}
  // The document moved from is empty.
  Doc(Doc&& other) noexcept : arena_(std::move(other.arena_)), root_(std::exchange(other.root_, nullptr)) {}
  Doc& operator=(Doc&& other) noexcept {
    arena_ = std::move(other.arena_);
    root_ = std::exchange(other.root_, nullptr);
    return *this;
  }

  Doc Clone() const;

  explicit operator bool() const { return root_ != nullptr; }
  const TypeDesc& type() const { return *root_->type; }
  StructNode* root() { return root_; }
  const StructNode* root() const { return root_; }
  Arena& arena() { return arena_; }

 private:
  Arena arena_;
  StructNode* root_ = nullptr;
};

}  // namespace keelson::api
