#include "extensions/rules/values.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "api/codec/base64.h"
#include "api/codec/time_format.h"
#include "api/types/builtin_types.h"
#include "base/go_duration.h"
#include "extensions/rules/declarations.h"
#include "extensions/rules/field_names.h"
#include "extensions/schema/keyed_items.h"

namespace keelson::extensions {
namespace {

using cel::Value;
using Kind = Value::Kind;
using Tag = api::Value::Tag;

bool SameTree(const api::Value& a, const api::Value& b) { return api::Equal(a, b, api::kAnyType); }

// What a value is called in Go.
std::string_view GoType(const api::Value& v) {
  switch (v.tag()) {
    case Tag::kBool: return "bool";
    case Tag::kInt: return "int64";
    case Tag::kDouble: return "float64";
    case Tag::kString: return "string";
    case Tag::kList: return "[]interface {}";
    case Tag::kMap: return "map[string]interface {}";
    default: return "<nil>";
  }
}

Value Unexpected(std::string_view wanted, const api::Value& v) {
  return Value::Error("invalid data, expected " + std::string(wanted) + ", got " + std::string(GoType(v)));
}

// Something of which the schema says only that it is kept: it can be compared and nothing else.
class Preserved final : public cel::Object {
 public:
  explicit Preserved(const api::Value& tree) : tree_(tree) {}
  const cel::TypeRef& type() const override {
    static const cel::TypeRef type = cel::types::Opaque("unknown");
    return type;
  }
  Value Equals(const cel::Object& other) const override {
    const auto* const same = dynamic_cast<const Preserved*>(&other);
    return Value::Bool(same && SameTree(tree_, same->tree_));
  }

 private:
  const api::Value& tree_;
};

// An object, with members that the schema knows or any.
class SchemaMap final : public cel::Map {
 public:
  SchemaMap(const api::Value& tree, const Schema& schema, bool whole)
      : tree_(tree), map_(*tree.map()), schema_(schema), whole_(whole) {}

  size_t size() const override { return map_.size; }
  std::optional<Value> Find(const Value& key) const override {
    if (!key.is(Kind::kString)) return cel::NoSuchOverload(key);
    if (!has_fields()) return Get(key.text());
    const auto name = UnescapeFieldName(key.text());
    return name ? Get(*name) : std::nullopt;
  }
  Value KeyAt(size_t i) const override {
    const std::string_view name = map_.data[i].key;
    if (!has_fields()) return Value::Borrowed(name);
    auto escaped = EscapeFieldName(name);
    return escaped ? Value::String(*std::move(escaped)) : Value::Borrowed(name);
  }
  Value ValueAt(size_t i) const override {
    const std::string_view name = map_.data[i].key;
    auto value = Get(name);
    return value ? *std::move(value) : Value::Error("no such key: " + std::string(name));
  }

  // Members that the schema does not know are compared as they are, if both have them.
  std::optional<Value> EqualTo(const cel::Map& other) const override {
    if (size() != other.size()) return Value::Bool(false);
    const auto* const same = dynamic_cast<const SchemaMap*>(&other);
    for (const auto& entry : map_.entries()) {
      if (!MemberOf(schema_, whole_, entry.key)) {
        if (!same) return cel::NoSuchOverload();
        const api::Value* const theirs = same->map_.Find(entry.key);
        if (theirs && !SameTree(entry.value, *theirs)) return Value::Bool(false);
        continue;
      }
      const auto mine = Get(entry.key);
      const auto theirs = same ? same->Get(entry.key) : other.Find(Value::Borrowed(entry.key));
      if (mine.has_value() != theirs.has_value()) return Value::Bool(false);
      if (mine && !cel::IsEqual(*mine, *theirs)) return Value::Bool(false);
    }
    return Value::Bool(true);
  }

  const api::Value& tree() const { return tree_; }

 private:
  bool has_fields() const { return whole_ || !schema_.properties.empty(); }
  std::optional<Value> Get(std::string_view name) const {
    const api::Value* const found = map_.Find(name);
    // A field that is null is as good as none.
    if (!found || (has_fields() && found->is(Tag::kNull))) return std::nullopt;
    const Schema* const member = MemberOf(schema_, whole_, name);
    return member ? std::optional(ValueOf(*found, *member, member->embedded)) : std::nullopt;
  }

  const api::Value& tree_;
  const api::MapNode& map_;
  const Schema& schema_;
  const bool whole_;
};

// A list. Sets and lists by key are equal in any order, and are joined without repetitions.
class SchemaList final : public cel::List {
 public:
  SchemaList(const api::ListNode& list, const Schema& schema) : list_(&list), schema_(schema) {}
  // What came of joining two.
  SchemaList(std::vector<Value> items, const Schema& schema) : items_(std::move(items)), schema_(schema) {}

  size_t size() const override { return list_ ? list_->size : items_.size(); }
  Value At(size_t i) const override {
    return list_ ? ValueOf(list_->data[i], *schema_.items, schema_.items->embedded) : items_[i];
  }

  std::optional<Value> EqualTo(const cel::List& other) const override {
    if (!has_keys()) return std::nullopt;
    if (size() != other.size()) return Value::Bool(false);
    const auto mine = ByKey();
    for (size_t i = 0; i < other.size(); ++i) {
      const Value theirs = other.At(i);
      const auto key = KeyOfValue(theirs);
      const auto found = key ? mine.find(*key) : mine.end();
      if (found == mine.end()) return Value::Bool(false);
      if (schema_.list_type == api::ListType::kMap && !cel::IsEqual(At(found->second), theirs))
        return Value::Bool(false);
    }
    return Value::Bool(true);
  }

  std::optional<Value> Plus(const cel::List& other) const override {
    if (!has_keys()) return std::nullopt;
    std::vector<Value> items;
    items.reserve(size() + other.size());
    for (size_t i = 0; i < size(); ++i) items.push_back(At(i));
    auto places = ByKey();
    for (size_t i = 0; i < other.size(); ++i) {
      Value item = other.At(i);
      auto key = KeyOfValue(item);
      const auto found = key ? places.find(*key) : places.end();
      if (found == places.end()) {
        // What a list by key gets twice from the other side stays twice; a set never does.
        if (key && schema_.list_type == api::ListType::kSet) places.emplace(*std::move(key), items.size());
        items.push_back(std::move(item));
      } else if (schema_.list_type == api::ListType::kMap) {
        items[found->second] = std::move(item);
      }
    }
    return Value::Of(std::make_shared<const SchemaList>(std::move(items), schema_));
  }

 private:
  bool has_keys() const {
    return schema_.list_type == api::ListType::kSet || schema_.list_type == api::ListType::kMap;
  }
  std::optional<std::string> KeyOfValue(const Value& value) const {
    if (schema_.list_type == api::ListType::kSet)
      return std::string(1, static_cast<char>('a' + static_cast<int>(value.kind()))) + cel::ToText(value);
    const auto* const map = value.is(Kind::kMap) ? dynamic_cast<const SchemaMap*>(&value.map()) : nullptr;
    return map ? KeyOf(map->tree(), schema_) : std::nullopt;
  }
  std::unordered_map<std::string, size_t> ByKey() const {
    std::unordered_map<std::string, size_t> places;
    for (size_t i = 0; i < size(); ++i)
      if (auto key = KeyOfValue(At(i))) places[*std::move(key)] = i;
    return places;
  }

  const api::ListNode* list_ = nullptr;
  std::vector<Value> items_;
  const Schema& schema_;
};

// The letters at `i`, in lower case; moves past them.
std::string TakeWord(std::string_view text, size_t& i) {
  std::string word;
  while (i < text.size()) {
    if (text.substr(i).starts_with("µ")) {
      word += "µ";
      i += 2;
    } else if ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') {
      word += static_cast<char>(text[i++] | 0x20);
    } else {
      break;
    }
  }
  return word;
}

// Nanoseconds of a unit by its name.
std::optional<uint64_t> UnitNamed(std::string_view name) {
  constexpr uint64_t kSecond = 1'000'000'000, kDay = 24 * 3600 * kSecond;
  struct Unit {
    std::vector<std::string_view> names;  // the last may be the start of a longer word
    uint64_t nanos;
  };
  static const Unit units[] = {{{"ns", "nano"}, 1},          {{"us", "µs", "micro"}, 1000},
                               {{"ms", "milli"}, 1'000'000}, {{"s", "sec"}, kSecond},
                               {{"m", "min"}, 60 * kSecond}, {{"h", "hr", "hour"}, 3600 * kSecond},
                               {{"d", "day"}, kDay},         {{"w", "wk", "week"}, 7 * kDay}};
  for (const Unit& unit : units)
    if (std::ranges::find(unit.names, name) != unit.names.end() || name.starts_with(unit.names.back()))
      return unit.nanos;
  return std::nullopt;
}

// As Go's strfmt reads it: "90s", "1 day", "2 weeks".
std::optional<int64_t> ReadDuration(std::string_view text) {
  if (const auto plain = base::ParseGoDuration(text)) return plain->count();
  constexpr std::string_view kDigits = "0123456789", kSpace = " \t\n\f\r";
  std::optional<uint64_t> sum;
  for (size_t i = text.find_first_of(kDigits); i < text.size(); i = text.find_first_of(kDigits, i)) {
    uint64_t number = 0;
    while (i < text.size() && kDigits.contains(text[i]))
      number = number * 10 + static_cast<uint64_t>(text[i++] - '0');
    i = std::min(text.find_first_not_of(kSpace, i), text.size());
    if (const auto nanos = UnitNamed(TakeWord(text, i))) sum = sum.value_or(0) + number * *nanos;
  }
  return sum ? std::optional(static_cast<int64_t>(*sum)) : std::nullopt;
}

Value ReadTime(std::string_view kind, std::string_view text, const std::string& complete) {
  const auto time = api::ParseTime(complete);
  if (!time)
    return Value::Error("Invalid " + std::string(kind) + " formatted string " + std::string(text) + ": " +
                        time.error());
  return Value::Timestamp(time->seconds, time->nanos);
}

Value ReadBytes(std::string_view text) {
  // The alphabet for addresses, although schemas are checked by the other one.
  std::string plain(text);
  std::string bytes(api::Base64DecodedBound(text.size()), '\0');
  std::string error;
  for (size_t i = 0; i < plain.size() && error.empty(); ++i) {
    if (plain[i] == '+' || plain[i] == '/') error = "illegal base64 data at input byte " + std::to_string(i);
    if (plain[i] == '-') plain[i] = '+';
    if (plain[i] == '_') plain[i] = '/';
  }
  if (error.empty()) {
    const auto size = api::Base64Decode(plain, bytes.data());
    if (size) return Value::Bytes(bytes.substr(0, *size));
    error = size.error();
  }
  return Value::Error("Invalid byte formatted string " + std::string(text) + ": " + error);
}

Value ReadText(const api::Value& v, const Schema& s) {
  if (!v.is(Tag::kString)) return Unexpected("string", v);
  const std::string_view text = v.string();
  if (s.format_name == "duration") {
    if (const auto nanos = ReadDuration(text)) return Value::Duration(*nanos);
    return Value::Error("Invalid duration " + std::string(text) + ": unable to parse " + std::string(text) +
                        " as duration");
  }
  if (s.format_name == "date") return ReadTime("date", text, std::string(text) + "T00:00:00Z");
  if (s.format_name == "date-time") {
    if (text.empty()) return Value::Timestamp(0, 0);
    // Without a zone it is UTC.
    const bool local = text.size() >= 19 && text.find_first_of("Zz+-", 19) == std::string_view::npos;
    return ReadTime("date-time", text, std::string(text) + (local ? "Z" : ""));
  }
  if (s.format_name == "byte") return ReadBytes(text);
  return Value::Borrowed(text);
}

}  // namespace

Value ValueOf(const api::Value& v, const Schema& s, bool whole) {
  if (v.is(Tag::kNull) || v.absent())
    return s.nullable ? Value() : Value::Error("invalid data, got null for schema with nullable=false");
  if (s.int_or_string) {
    if (v.is(Tag::kString)) return Value::Borrowed(v.string());
    if (v.is(Tag::kInt)) return Value::Int(v.integer());
    return Value::Error("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (s.type) {
    case JsonType::kObject:
      if (!v.map())
        return Value::Error("invalid data, expected a map for the provided schema with type=object");
      return Value::Of(std::make_shared<const SchemaMap>(v, s, whole));
    case JsonType::kArray:
      if (!v.list())
        return Value::Error("invalid data, expected an array for the provided schema with type=array");
      if (!s.items) return Value::Error("invalid array type, expected Items with a non-empty Schema");
      return Value::Of(std::make_shared<const SchemaList>(*v.list(), s));
    case JsonType::kString: return ReadText(v, s);
    case JsonType::kNumber:
      if (v.is(Tag::kInt)) return Value::Double(static_cast<double>(v.integer()));
      return v.is(Tag::kDouble) ? Value::Double(v.real()) : Unexpected("float", v);
    case JsonType::kInteger: return v.is(Tag::kInt) ? Value::Int(v.integer()) : Unexpected("int", v);
    case JsonType::kBoolean: return v.is(Tag::kBool) ? Value::Bool(v.boolean()) : Unexpected("bool", v);
    case JsonType::kNone: break;
  }
  if (s.preserve_unknown) return Value::Of(std::make_shared<const Preserved>(v));
  return Value::Error(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ");
}

}  // namespace keelson::extensions
