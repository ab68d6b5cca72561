#include "cel/value.h"

#include <bit>
#include <cmath>

#include "cel/numbers.h"
#include "cel/times.h"

namespace keelson::cel {
namespace {

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

// Requires: both are numbers, none is NaN.
int CompareNumbers(const Value& a, const Value& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is(ValueKind::kDouble)) {
    const double d = a.real();
    switch (b.kind()) {
      case ValueKind::kDouble: return order(d, b.real());
      case ValueKind::kInt:
        if (d < -9223372036854775808.0) return -1;
        if (d > 9223372036854775808.0) return 1;
        return order(d, static_cast<double>(b.integer()));
      default:
        if (d < 0) return -1;
        if (d > 18446744073709551616.0) return 1;
        return order(d, static_cast<double>(b.unsigned_integer()));
    }
  }
  if (b.is(ValueKind::kDouble)) return -CompareNumbers(b, a);
  if (a.kind() == b.kind())
    return a.is(ValueKind::kInt) ? order(a.integer(), b.integer())
                                 : order(a.unsigned_integer(), b.unsigned_integer());
  if (a.is(ValueKind::kUint)) return -CompareNumbers(b, a);
  if (a.integer() < 0) return -1;
  return order(static_cast<uint64_t>(a.integer()), b.unsigned_integer());
}

bool IsNaN(const Value& v) { return v.is(ValueKind::kDouble) && std::isnan(v.real()); }

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

std::string DoubleLiteral(double d) {
  if (std::isnan(d)) return "double(\"NaN\")";
  if (std::isinf(d)) return d < 0 ? "double(\"-Infinity\")" : "double(\"Infinity\")";
  std::string text = FormatFixed(d);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

// A value inside a list or a map, written as a literal.
std::string Literal(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kUint: return std::to_string(v.unsigned_integer()) + "u";
    case ValueKind::kDouble: return DoubleLiteral(v.real());
    case ValueKind::kString: return GoQuote(v.text());
    case ValueKind::kBytes: {
      std::string text = "b\"";
      for (const char c : v.text()) {
        const auto byte = static_cast<uint8_t>(c);
        text += '\\';
        for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (byte >> shift & 7));
      }
      return text + "\"";
    }
    case ValueKind::kDuration: return "duration(" + GoQuote(FormatDurationSeconds(v.integer())) + ")";
    case ValueKind::kTimestamp: return "timestamp(" + GoQuote(FormatTimestamp(v.integer(), v.nanos())) + ")";
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

Value Value::Double(double d) { return Number(ValueKind::kDouble, std::bit_cast<int64_t>(d)); }
double Value::real() const { return std::bit_cast<double>(i_); }

Value Value::Timestamp(int64_t seconds, int32_t nanos) {
  Value v = Number(ValueKind::kTimestamp, seconds);
  v.nanos_ = static_cast<uint32_t>(nanos);
  return v;
}

Value Value::Owned(ValueKind kind, std::string text) {
  auto held = std::make_shared<const HeldText>(std::move(text));
  Value v = Text(kind, held->text);
  v.held_ = std::move(held);
  return v;
}

Value Value::OfType(TypeRef type) {
  return Holding(ValueKind::kType, std::make_shared<const HeldType>(std::move(type)));
}
const TypeRef& Value::type_value() const { return static_cast<const HeldType&>(*held_).type; }

Value Value::OptionalOf(Value value) {
  return Holding(ValueKind::kOptional, std::make_shared<const HeldValue>(std::move(value)));
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
    case ValueKind::kNull: return types::Null();
    case ValueKind::kBool: return types::Bool();
    case ValueKind::kInt: return types::Int();
    case ValueKind::kUint: return types::Uint();
    case ValueKind::kDouble: return types::Double();
    case ValueKind::kString: return types::String();
    case ValueKind::kBytes: return types::Bytes();
    case ValueKind::kDuration: return types::Duration();
    case ValueKind::kTimestamp: return types::Timestamp();
    case ValueKind::kType: return types::AnyType();
    case ValueKind::kList: return list;
    case ValueKind::kMap: return map;
    case ValueKind::kOptional: return optional;
    case ValueKind::kObject: return value.object().type();
    case ValueKind::kError: return types::Error();
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
  if (a.is(ValueKind::kObject) && b.is(ValueKind::kObject)) return a.object().Equals(b.object());
  // Kubernetes' own values refuse to be compared with anything else; null is equal to nothing.
  if (a.is(ValueKind::kObject) && !a.object().has_fields() && !b.is(ValueKind::kNull))
    return NoSuchOverload(b);
  if (a.kind() != b.kind()) return Value::Bool(false);
  switch (a.kind()) {
    case ValueKind::kNull: return Value::Bool(true);
    case ValueKind::kBool:
    case ValueKind::kDuration: return Value::Bool(a.integer() == b.integer());
    case ValueKind::kTimestamp: return Value::Bool(a.integer() == b.integer() && a.nanos() == b.nanos());
    case ValueKind::kString:
    case ValueKind::kBytes: return Value::Bool(a.text() == b.text());
    case ValueKind::kType: return Value::Bool(a.type_value()->name() == b.type_value()->name());
    case ValueKind::kList: return EqualLists(a.list(), b.list());
    case ValueKind::kMap: return EqualMaps(a.map(), b.map());
    case ValueKind::kOptional: return EqualOptionals(a, b);
    default: return a;
  }
}

bool IsEqual(const Value& a, const Value& b) { return Equal(a, b).is_true(); }

bool IsOrdered(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp: return true;
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
    case ValueKind::kBool:
    case ValueKind::kDuration: return order(a.integer(), b.integer());
    case ValueKind::kTimestamp:
      return a.integer() != b.integer() ? order(a.integer(), b.integer()) : order(a.nanos(), b.nanos());
    case ValueKind::kString:
    case ValueKind::kBytes: return order(a.text(), b.text());
    default: return NoSuchOverload(b);
  }
}

std::string ToText(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return "null";
    case ValueKind::kBool: return value.boolean() ? "true" : "false";
    case ValueKind::kInt: return std::to_string(value.integer());
    case ValueKind::kUint: return std::to_string(value.unsigned_integer());
    case ValueKind::kDouble: return FormatG(value.real());
    case ValueKind::kString:
    case ValueKind::kError: return std::string(value.text());
    case ValueKind::kBytes: {
      std::string text = "[";
      for (const char c : value.text())
        text.append(text.size() > 1 ? " " : "").append(std::to_string(static_cast<uint8_t>(c)));
      return text + "]";
    }
    case ValueKind::kDuration: return FormatGoDuration(value.integer());
    case ValueKind::kTimestamp: return FormatGoTime(value.integer(), value.nanos());
    case ValueKind::kType: return value.type_value()->name();
    case ValueKind::kList: {
      std::string text = "[";
      for (size_t i = 0; i < value.list().size(); ++i)
        text.append(i > 0 ? ", " : "").append(Literal(value.list().At(i)));
      return text + "]";
    }
    case ValueKind::kMap: {
      std::string text = "{";
      for (size_t i = 0; i < value.map().size(); ++i)
        text.append(i > 0 ? ", " : "")
            .append(Literal(value.map().KeyAt(i)))
            .append(": ")
            .append(Literal(value.map().ValueAt(i)));
      return text + "}";
    }
    case ValueKind::kOptional:
      return value.has_value() ? "optional(" + ToText(value.inner()) + ")" : "optional.none()";
    case ValueKind::kObject: return value.object().ToString();
  }
  return "";
}

const VectorMap::Entry* VectorMap::Lookup(const Value& key) const {
  switch (key.kind()) {
    case ValueKind::kString: {
      const auto found = by_text_.find(key.text());
      return found == by_text_.end() ? nullptr : &entries_[found->second];
    }
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble: {
      // Numbers that are equal have one slot, whatever their types.
      const Value whole = key.is(ValueKind::kDouble) ? Value::Int(static_cast<int64_t>(key.real())) : key;
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
  if (held.is(ValueKind::kString)) by_text_[held.text()] = entries_.size() - 1;
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
