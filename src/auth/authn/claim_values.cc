#include "auth/authn/claim_values.h"

#include <cstdlib>

#include "auth/authn/strict_json.h"
#include "cel/reserved_words.h"

namespace keelson::auth {
namespace {

using api::json::JsonReader;
using cel::Value;

// What an escaped name stands for; nullopt: it is not escaped, or not well.
std::optional<std::string> UnescapedName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}};
  if (name.find("__") == std::string_view::npos) return std::nullopt;
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    const std::string_view word = name.substr(2, name.size() - 4);
    if (cel::IsReservedWord(word)) return std::string(word);
  }
  std::string out;
  while (!name.empty()) {
    if (!name.starts_with("__")) {
      out += name.front();
      name.remove_prefix(1);
      continue;
    }
    const auto* const escape =
        std::ranges::find_if(kEscapes, [&](const auto& e) { return name.starts_with(e.first); });
    if (escape == std::end(kEscapes)) return std::nullopt;
    out += escape->second;
    name.remove_prefix(escape->first.size());
  }
  return out;
}

// A map whose keys may be asked for with escapes.
class EscapedMap final : public cel::Map {
 public:
  void Set(std::string key, Value value) { entries_.Set(Value::String(std::move(key)), std::move(value)); }
  size_t size() const override { return entries_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (key.is(cel::ValueKind::kString))
      if (auto name = UnescapedName(key.text())) return entries_.Find(Value::String(*std::move(name)));
    return entries_.Find(key);
  }
  Value KeyAt(size_t i) const override { return entries_.KeyAt(i); }
  Value ValueAt(size_t i) const override { return entries_.ValueAt(i); }

 private:
  cel::VectorMap entries_;
};

Value MapValue(std::shared_ptr<EscapedMap> map) {
  return Value::Of(std::shared_ptr<const cel::Map>(std::move(map)));
}

// Deeper claims are refused: they would need more stack than a loop has.
constexpr int kMaxClaimDepth = 64;

// Texts are copied: the reader's arena goes before the value does.
bool ReadValue(JsonReader& json, int depth, Value& out) {
  if (depth > kMaxClaimDepth) return false;
  switch (json.Peek()) {
    case 'n': return json.Literal("null");
    case 't': out = Value::Bool(true); return json.Literal("true");
    case 'f': out = Value::Bool(false); return json.Literal("false");
    case '"': {
      std::string text;
      if (!ReadText(json, text)) return false;
      out = Value::String(std::move(text));
      return true;
    }
    case '{': {
      auto map = std::make_shared<EscapedMap>();
      if (!ReadStrictObject(json, [&](std::string_view name) {
            Value value;
            std::string key(name);
            if (!ReadValue(json, depth + 1, value)) return false;
            map->Set(std::move(key), std::move(value));
            return true;
          }))
        return false;
      out = MapValue(std::move(map));
      return true;
    }
    case '[': {
      std::vector<Value> items;
      if (!ReadArray(json, [&] { return ReadValue(json, depth + 1, items.emplace_back()); })) return false;
      out = Value::ListOf(std::move(items));
      return true;
    }
    default: {
      std::string_view token;
      if (!json.Number(&token)) return false;
      out = Value::Double(std::strtod(std::string(token).c_str(), nullptr));
      return true;
    }
  }
}

Value StringList(const std::vector<std::string>& items) { return Value::Strings(items); }

}  // namespace

Value ClaimsValue(const RawClaims& claims) {
  auto map = std::make_shared<EscapedMap>();
  for (const auto& [name, text] : claims) {
    api::Arena arena;
    JsonReader json(text, arena);
    Value value;
    if (!ReadValue(json, 0, value)) value = Value::Error("claim \"" + name + "\" failed to unmarshal");
    map->Set(name, std::move(value));
  }
  return MapValue(std::move(map));
}

Value UserValue(const User& user) {
  auto map = std::make_shared<EscapedMap>();
  map->Set("username", Value::String(user.name));
  map->Set("uid", Value::String(user.uid));
  map->Set("groups", StringList(user.groups));
  auto extra = std::make_shared<EscapedMap>();
  for (const auto& [key, values] : user.extra) extra->Set(key, StringList(values));
  map->Set("extra", MapValue(std::move(extra)));
  return MapValue(std::move(map));
}

base::Result<std::vector<std::string>, std::string> TextsOf(const Value& value) {
  const auto bad = [] {
    return base::Err(std::string("expression must return a string or a list of strings"));
  };
  std::vector<std::string> texts;
  const auto add = [&](const Value& item) {
    if (!item.is(cel::ValueKind::kString)) return false;
    if (!item.text().empty()) texts.emplace_back(item.text());
    return true;
  };
  if (value.is(cel::ValueKind::kNull)) return texts;
  if (value.is(cel::ValueKind::kList)) {
    for (size_t i = 0; i < value.list().size(); ++i)
      if (!add(value.list().At(i))) return bad();
    return texts;
  }
  if (!add(value)) return bad();
  return texts;
}

}  // namespace keelson::auth
