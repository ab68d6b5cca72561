// Value: what an expression works on. Small things are held in place, text from a document
// is borrowed from it, and lists, maps and objects are interfaces, so that a document is
// read where it is and never copied.
//
// Threads:  values are immutable; one may be read by many.
// Lifetime: borrowed text and views of documents must not outlive what they look into.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/type.h"

namespace keelson::cel {

class Value;

struct Held {
  virtual ~Held() = default;
};

class List : public Held {
 public:
  virtual size_t size() const = 0;
  // Requires: i < size().
  virtual Value At(size_t i) const = 0;
  // How == and + treat a list that has a way of its own; nothing: element by element.
  virtual std::optional<Value> EqualTo(const List& other) const;
  virtual std::optional<Value> Plus(const List& other) const;
};

// Entries keep their order for as long as the map lives.
class Map : public Held {
 public:
  virtual size_t size() const = 0;
  virtual std::optional<Value> Find(const Value& key) const = 0;
  // Requires: i < size().
  virtual Value KeyAt(size_t i) const = 0;
  virtual Value ValueAt(size_t i) const = 0;
  // As for lists.
  virtual std::optional<Value> EqualTo(const Map& other) const;
};

// An object with fields (a struct of the environment) or with functions only (a quantity, an
// address, an authorizer).
class Object : public Held {
 public:
  virtual const TypeRef& type() const = 0;
  // The field's value; an error when there is none. A declared field may be unset, which
  // Has tells.
  virtual Value Field(std::string_view name) const;
  virtual bool Has(std::string_view name) const;
  // True: Field and Has mean something.
  virtual bool has_fields() const { return false; }
  // An error where values of this type cannot be compared with the other.
  virtual Value Equals(const Object& other) const;
  // For what it costs to work on it.
  virtual uint64_t Size() const { return 1; }
  // For messages.
  virtual std::string ToString() const;
};

class Value {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kType,
    kList,
    kMap,
    kObject,
    kOptional,
    kError,
  };

  Value() = default;  // null
  static Value Bool(bool b) { return Number(Kind::kBool, b); }
  static Value Int(int64_t i) { return Number(Kind::kInt, i); }
  static Value Uint(uint64_t u) { return Number(Kind::kUint, static_cast<int64_t>(u)); }
  static Value Double(double d);
  static Value String(std::string text) { return Owned(Kind::kString, std::move(text)); }
  static Value Borrowed(std::string_view text) { return Text(Kind::kString, text); }
  static Value Bytes(std::string bytes) { return Owned(Kind::kBytes, std::move(bytes)); }
  static Value BorrowedBytes(std::string_view bytes) { return Text(Kind::kBytes, bytes); }
  static Value Duration(int64_t nanos) { return Number(Kind::kDuration, nanos); }
  static Value Timestamp(int64_t seconds, int32_t nanos);
  static Value OfType(TypeRef type);
  static Value Of(std::shared_ptr<const List> list) { return Holding(Kind::kList, std::move(list)); }
  static Value Of(std::shared_ptr<const Map> map) { return Holding(Kind::kMap, std::move(map)); }
  static Value Of(std::shared_ptr<const Object> object) { return Holding(Kind::kObject, std::move(object)); }
  static Value OptionalOf(Value value);
  static Value None() { return Number(Kind::kOptional, 0); }
  static Value Error(std::string message) { return Owned(Kind::kError, std::move(message)); }
  static Value Strings(std::vector<std::string> items);
  static Value ListOf(std::vector<Value> items);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_true() const { return kind_ == Kind::kBool && i_ != 0; }

  // Each requires the kind.
  bool boolean() const { return i_ != 0; }
  int64_t integer() const { return i_; }  // also of a duration, a timestamp's seconds
  uint64_t unsigned_integer() const { return static_cast<uint64_t>(i_); }
  double real() const;
  std::string_view text() const { return text_; }  // string, bytes, error
  int32_t nanos() const { return static_cast<int32_t>(nanos_); }
  const List& list() const { return static_cast<const List&>(*held_); }
  const Map& map() const { return static_cast<const Map&>(*held_); }
  const Object& object() const { return static_cast<const Object&>(*held_); }
  bool has_value() const { return held_ != nullptr; }  // of an optional
  const Value& inner() const;                          // of an optional that has one
  const TypeRef& type_value() const;                   // of a type

  template <class T>
  const T* As() const {
    return kind_ == Kind::kObject ? dynamic_cast<const T*>(held_.get()) : nullptr;
  }
  const std::shared_ptr<const Held>& held() const { return held_; }

 private:
  static Value Number(Kind kind, int64_t i) {
    Value v;
    v.kind_ = kind;
    v.i_ = i;
    return v;
  }
  static Value Text(Kind kind, std::string_view text) {
    Value v;
    v.kind_ = kind;
    v.text_ = text;
    return v;
  }
  static Value Owned(Kind kind, std::string text);
  static Value Holding(Kind kind, std::shared_ptr<const Held> held) {
    Value v;
    v.kind_ = kind;
    v.held_ = std::move(held);
    return v;
  }

  Kind kind_ = Kind::kNull;
  uint32_t nanos_ = 0;
  int64_t i_ = 0;
  std::string_view text_;
  std::shared_ptr<const Held> held_;
};
using ValueKind = Value::Kind;

inline bool IsNumber(const Value& v) {
  return v.is(ValueKind::kInt) || v.is(ValueKind::kUint) || v.is(ValueKind::kDouble);
}

// The type a value says it has; lists and maps do not say of what.
const TypeRef& TypeOf(const Value& value);
// "no such overload", unless `value` is an error itself.
Value NoSuchOverload(const Value& value);
Value NoSuchOverload();

// As == does: numbers compare across their types, different types are unequal. May be an error.
Value Equal(const Value& a, const Value& b);
bool IsEqual(const Value& a, const Value& b);
// Whether values of its kind have an order.
bool IsOrdered(const Value& value);
// -1, 0, 1; an error when they cannot be ordered.
Value Compare(const Value& a, const Value& b);

// As %v of Go shows it in messages.
std::string ToText(const Value& value);

// A list that is built once.
class VectorList final : public List {
 public:
  explicit VectorList(std::vector<Value> items) : items_(std::move(items)) {}
  size_t size() const override { return items_.size(); }
  Value At(size_t i) const override { return items_[i]; }

 private:
  std::vector<Value> items_;
};

// A map in the order of building.
class VectorMap final : public Map {
 public:
  using Entry = std::pair<Value, Value>;
  VectorMap() = default;
  // A key that is there already is replaced.
  void Set(Value key, Value value);
  void Erase(const Value& key);
  size_t size() const override { return entries_.size(); }
  std::optional<Value> Find(const Value& key) const override;
  Value KeyAt(size_t i) const override { return entries_[i].first; }
  Value ValueAt(size_t i) const override { return entries_[i].second; }

 private:
  const Entry* Lookup(const Value& key) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, size_t> by_text_;  // keys that are strings
  std::unordered_map<int64_t, size_t> by_number_;         // keys that are whole numbers
};

}  // namespace keelson::cel
