#include "cel/value.h"

#include <bit>
#include <cmath>

#include "cel/numbers.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

using Kind = Value::Kind;

struct HeldText final : Held {
  explicit HeldText(std::string s) : text(std::move(s)) {}
  std::string text;
};
struct HeldValue final : Held {
  explicit HeldValue(Value v) : value(std::move(v)) {}
  Value value;
};
struct HeldType final : Held {
  explicit HeldType(TypeRef t) : type(std::move(t)) {}
  TypeRef type;
};

bool IsNumber(const Value& v) { return v.is(Kind::kInt) || v.is(Kind::kUint) || v.is(Kind::kDouble); }

// Requires: both are numbers, none is NaN.
int CompareNumbers(const Value& a, const Value& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is(Kind::kDouble)) {
    const double d = a.real();
    switch (b.kind()) {
      case Kind::kDouble: return order(d, b.real());
      case Kind::kInt:
        if (d < -9223372036854775808.0) return -1;
        if (d > 9223372036854775808.0) return 1;
        return order(d, static_cast<double>(b.integer()));
      default:
        if (d < 0) return -1;
        if (d > 18446744073709551616.0) return 1;
        return order(d, static_cast<double>(b.unsigned_integer()));
    }
  }
  if (b.is(Kind::kDouble)) return -CompareNumbers(b, a);
  if (a.kind() == b.kind())
    return a.is(Kind::kInt) ? order(a.integer(), b.integer())
                            : order(a.unsigned_integer(), b.unsigned_integer());
  if (a.is(Kind::kUint)) return -CompareNumbers(b, a);
  if (a.integer() < 0) return -1;
  return order(static_cast<uint64_t>(a.integer()), b.unsigned_integer());
}

bool IsNaN(const Value& v) { return v.is(Kind::kDouble) && std::isnan(v.real()); }

Value EqualLists(const List& a, const List& b) {
  if (const auto own = a.EqualTo(b)) return *own;
  if (a.size() != b.size()) return Value::Bool(false);
  for (size_t i = 0; i < a.size(); ++i)
    if (!IsEqual(a.At(i), b.At(i))) return Value::Bool(false);
  return Value::Bool(true);
}

Value EqualMaps(const Map& a, const Map& b) {
  if (const auto own = a.EqualTo(b)) return *own;
  if (a.size() != b.size()) return Value::Bool(false);
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<Value> other = b.Find(a.KeyAt(i));
    if (!other || !IsEqual(a.ValueAt(i), *other)) return Value::Bool(false);
  }
  return Value::Bool(true);
}

Value EqualOptionals(const Value& a, const Value& b) {
  if (!a.has_value() || !b.has_value()) return Value::Bool(a.has_value() == b.has_value());
  return Equal(a.inner(), b.inner());
}

std::string Quoted(std::string_view text) { return GoQuote(text); }

std::string DoubleLiteral(double d) {
  if (std::isnan(d)) return "double(\"NaN\")";
  if (std::isinf(d)) return d < 0 ? "double(\"-Infinity\")" : "double(\"Infinity\")";
  std::string text = FormatFixed(d);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

// A value inside a list or a map, written as a literal.
std::string Literal(const Value& v) {
  switch (v.kind()) {
    case Kind::kUint: return std::to_string(v.unsigned_integer()) + "u";
    case Kind::kDouble: return DoubleLiteral(v.real());
    case Kind::kString: return Quoted(v.text());
    case Kind::kBytes: {
      std::string text = "b\"";
      for (const char c : v.text()) {
        const auto byte = static_cast<uint8_t>(c);
        text += '\\';
        for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (byte >> shift & 7));
      }
      return text + "\"";
    }
    case Kind::kDuration: return "duration(" + Quoted(FormatDurationSeconds(v.integer())) + ")";
    case Kind::kTimestamp: return "timestamp(" + Quoted(FormatTimestamp(v.integer(), v.nanos())) + ")";
    default: return ToText(v);
  }
}

}  // namespace

std::optional<Value> List::EqualTo(const List&) const { return std::nullopt; }
std::optional<Value> List::Plus(const List&) const { return std::nullopt; }
std::optional<Value> Map::EqualTo(const Map&) const { return std::nullopt; }

Value Object::Field(std::string_view name) const { return Value::Error("no such key: " + std::string(name)); }
bool Object::Has(std::string_view) const { return false; }
Value Object::Equals(const Object& other) const { return Value::Bool(this == &other); }
std::string Object::ToString() const { return type()->name(); }

Value Value::Double(double d) { return Number(Kind::kDouble, std::bit_cast<int64_t>(d)); }
double Value::real() const { return std::bit_cast<double>(i_); }

Value Value::Timestamp(int64_t seconds, int32_t nanos) {
  Value v = Number(Kind::kTimestamp, seconds);
  v.nanos_ = static_cast<uint32_t>(nanos);
  return v;
}

Value Value::Owned(Kind kind, std::string text) {
  auto held = std::make_shared<const HeldText>(std::move(text));
  Value v = Text(kind, held->text);
  v.held_ = std::move(held);
  return v;
}

Value Value::OfType(TypeRef type) {
  return Holding(Kind::kType, std::make_shared<const HeldType>(std::move(type)));
}
const TypeRef& Value::type_value() const { return static_cast<const HeldType&>(*held_).type; }

Value Value::OptionalOf(Value value) {
  return Holding(Kind::kOptional, std::make_shared<const HeldValue>(std::move(value)));
}
const Value& Value::inner() const { return static_cast<const HeldValue&>(*held_).value; }

Value Value::Strings(std::vector<std::string> items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (std::string& item : items) values.push_back(String(std::move(item)));
  return ListOf(std::move(values));
}
Value Value::ListOf(std::vector<Value> items) {
  return Of(std::make_shared<const VectorList>(std::move(items)));
}

const TypeRef& TypeOf(const Value& value) {
  static const TypeRef list = types::ListOf(types::Dyn()), map = types::MapOf(types::Dyn(), types::Dyn()),
                       optional = types::Optional(types::Dyn());
  switch (value.kind()) {
    case Kind::kNull: return types::Null();
    case Kind::kBool: return types::Bool();
    case Kind::kInt: return types::Int();
    case Kind::kUint: return types::Uint();
    case Kind::kDouble: return types::Double();
    case Kind::kString: return types::String();
    case Kind::kBytes: return types::Bytes();
    case Kind::kDuration: return types::Duration();
    case Kind::kTimestamp: return types::Timestamp();
    case Kind::kType: return types::AnyType();
    case Kind::kList: return list;
    case Kind::kMap: return map;
    case Kind::kOptional: return optional;
    case Kind::kObject: return value.object().type();
    case Kind::kError: return types::Error();
  }
  return types::Error();
}

Value NoSuchOverload() {
  static const Value error = Value::Error("no such overload");
  return error;
}
Value NoSuchOverload(const Value& value) { return value.is_error() ? value : NoSuchOverload(); }

Value Equal(const Value& a, const Value& b) {
  if (IsNumber(a) && IsNumber(b)) return Value::Bool(!IsNaN(a) && !IsNaN(b) && CompareNumbers(a, b) == 0);
  if (a.is(Kind::kObject) && b.is(Kind::kObject)) return a.object().Equals(b.object());
  // Kubernetes' own values refuse to be compared with anything else; null is equal to nothing.
  if (a.is(Kind::kObject) && !a.object().has_fields() && !b.is(Kind::kNull)) return NoSuchOverload(b);
  if (a.kind() != b.kind()) return Value::Bool(false);
  switch (a.kind()) {
    case Kind::kNull: return Value::Bool(true);
    case Kind::kBool:
    case Kind::kDuration: return Value::Bool(a.integer() == b.integer());
    case Kind::kTimestamp: return Value::Bool(a.integer() == b.integer() && a.nanos() == b.nanos());
    case Kind::kString:
    case Kind::kBytes: return Value::Bool(a.text() == b.text());
    case Kind::kType: return Value::Bool(a.type_value()->name() == b.type_value()->name());
    case Kind::kList: return EqualLists(a.list(), b.list());
    case Kind::kMap: return EqualMaps(a.map(), b.map());
    case Kind::kOptional: return EqualOptionals(a, b);
    default: return a;
  }
}

bool IsEqual(const Value& a, const Value& b) { return Equal(a, b).is_true(); }

bool IsOrdered(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kDuration:
    case Kind::kTimestamp: return true;
    default: return false;
  }
}

Value Compare(const Value& a, const Value& b) {
  if (IsNumber(a)) {
    if (!IsNumber(b)) return NoSuchOverload(b);
    if (IsNaN(a) || IsNaN(b)) return Value::Error("NaN values cannot be ordered");
    return Value::Int(CompareNumbers(a, b));
  }
  if (a.kind() != b.kind()) return NoSuchOverload(b);
  const auto order = [](const auto& x, const auto& y) { return Value::Int(x < y ? -1 : y < x ? 1 : 0); };
  switch (a.kind()) {
    case Kind::kBool:
    case Kind::kDuration: return order(a.integer(), b.integer());
    case Kind::kTimestamp:
      return a.integer() != b.integer() ? order(a.integer(), b.integer()) : order(a.nanos(), b.nanos());
    case Kind::kString:
    case Kind::kBytes: return order(a.text(), b.text());
    default: return NoSuchOverload(b);
  }
}

std::string ToText(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return "null";
    case Kind::kBool: return value.boolean() ? "true" : "false";
    case Kind::kInt: return std::to_string(value.integer());
    case Kind::kUint: return std::to_string(value.unsigned_integer());
    case Kind::kDouble: return FormatG(value.real());
    case Kind::kString:
    case Kind::kError: return std::string(value.text());
    case Kind::kBytes: {
      std::string text = "[";
      for (const char c : value.text())
        text.append(text.size() > 1 ? " " : "").append(std::to_string(static_cast<uint8_t>(c)));
      return text + "]";
    }
    case Kind::kDuration: return FormatGoDuration(value.integer());
    case Kind::kTimestamp: return FormatGoTime(value.integer(), value.nanos());
    case Kind::kType: return value.type_value()->name();
    case Kind::kList: {
      std::string text = "[";
      for (size_t i = 0; i < value.list().size(); ++i)
        text.append(i > 0 ? ", " : "").append(Literal(value.list().At(i)));
      return text + "]";
    }
    case Kind::kMap: {
      std::string text = "{";
      for (size_t i = 0; i < value.map().size(); ++i)
        text.append(i > 0 ? ", " : "")
            .append(Literal(value.map().KeyAt(i)))
            .append(": ")
            .append(Literal(value.map().ValueAt(i)));
      return text + "}";
    }
    case Kind::kOptional:
      return value.has_value() ? "optional(" + ToText(value.inner()) + ")" : "optional.none()";
    case Kind::kObject: return value.object().ToString();
  }
  return "";
}

const VectorMap::Entry* VectorMap::Lookup(const Value& key) const {
  switch (key.kind()) {
    case Kind::kString: {
      const auto found = by_text_.find(key.text());
      return found == by_text_.end() ? nullptr : &entries_[found->second];
    }
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble: {
      // Numbers that are equal have one slot, whatever their types.
      const Value whole = key.is(Kind::kDouble) ? Value::Int(static_cast<int64_t>(key.real())) : key;
      const auto found = by_number_.find(whole.integer());
      return found != by_number_.end() && IsEqual(entries_[found->second].first, key)
                 ? &entries_[found->second]
                 : nullptr;
    }
    default:
      for (const Entry& entry : entries_)
        if (IsEqual(entry.first, key)) return &entry;
      return nullptr;
  }
}

void VectorMap::Set(Value key, Value value) {
  if (const Entry* there = Lookup(key)) {
    const_cast<Entry*>(there)->second = std::move(value);
    return;
  }
  entries_.emplace_back(std::move(key), std::move(value));
  const Value& held = entries_.back().first;
  if (held.is(Kind::kString)) by_text_[held.text()] = entries_.size() - 1;
  if (IsNumber(held)) by_number_[held.integer()] = entries_.size() - 1;
}

void VectorMap::Erase(const Value& key) {
  if (!Lookup(key)) return;
  std::vector<Entry> kept;
  for (Entry& entry : entries_)
    if (!IsEqual(entry.first, key)) kept.push_back(std::move(entry));
  *this = VectorMap();
  for (Entry& entry : kept) Set(std::move(entry.first), std::move(entry.second));
}

std::optional<Value> VectorMap::Find(const Value& key) const {
  const Entry* const found = Lookup(key);
  return found ? std::optional(found->second) : std::nullopt;
}

}  // namespace keelson::cel
