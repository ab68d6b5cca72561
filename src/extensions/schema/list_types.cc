#include "extensions/schema/list_types.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "api/validation/names.h"
#include "api/validation/object_meta.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;
using api::field::Error;
using api::field::ErrorList;
using api::field::ErrorType;

Error Make(ErrorType type, std::string path, std::string value, std::string detail = {}) {
  return {.type = type,
          .field = std::move(path),
          .bad_value = std::move(value),
          .has_value = type != ErrorType::kRequired,
          .detail = std::move(detail)};
}

std::string Child(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}
std::string Key(const std::string& path, std::string_view key) { return path + "[" + std::string(key) + "]"; }
std::string Index(const std::string& path, size_t i) { return path + "[" + std::to_string(i) + "]"; }

// Where each value that is there more than once comes for the second time.
std::vector<size_t> Repeated(const std::vector<std::string>& values) {
  std::vector<size_t> repeated;
  std::map<std::string_view, int> seen;
  for (size_t i = 0; i < values.size(); ++i)
    if (++seen[values[i]] == 2) repeated.push_back(i);
  return repeated;
}

class ListTypes {
 public:
  void Map(const MapNode& map, const Schema& s, const std::string& path) {
    if (!s.has_list_types) return;
    // Paths are spelled out only for what is looked into.
    if (s.additional && s.additional->has_list_types)
      for (const auto& entry : map.entries()) Any(entry.value, s.additional, Key(path, entry.key));
    for (const auto& entry : map.entries())
      if (const Schema* property = s.Find(entry.key); property && property->has_list_types)
        Any(entry.value, property, Child(path, entry.key));
  }

  ErrorList errors;

 private:
  void Any(const Value& value, const Schema* s, const std::string& path) {
    if (!s->has_list_types) return;
    if (value.map()) return Map(*value.map(), *s, path);
    if (!value.list()) return;
    const auto items = value.list()->items();
    if (s->list_type == api::ListType::kSet) Set(items, path);
    if (s->list_type == api::ListType::kMap) Keyed(items, *s, path);
    if (!s->items || !s->items->has_list_types) return;
    for (size_t i = 0; i < items.size(); ++i) Any(items[i], s->items, Index(path, i));
  }

  void Set(std::span<const Value> items, const std::string& path) {
    std::vector<std::string> values;
    for (const Value& item : items) values.push_back(TreeJson(item));
    for (const size_t i : Repeated(values))
      errors.Add(Make(ErrorType::kDuplicate, Index(path, i), RenderTree(items[i])));
  }

  void Keyed(std::span<const Value> items, const Schema& s, const std::string& path) {
    for (size_t i = 0; i < items.size(); ++i)
      if (!items[i].map() && !items[i].is(Value::Tag::kNull))
        return errors.Add(Make(ErrorType::kInvalid, Index(path, i), RenderTree(items[i]),
                               "must be an object for an array of list-type map"));
    if (ArePlainlyDistinct(items, s)) return;
    std::vector<std::string> keys;
    for (const Value& item : items) keys.push_back(ListKeysOf(item, s));
    for (const size_t i : Repeated(keys)) errors.Add(Make(ErrorType::kDuplicate, Index(path, i), keys[i]));
  }
};

class Embedded {
 public:
  void Any(const Value& value, const Schema* s, const std::string& path, bool whole = false) {
    if (!s || !(s->has_embedded || whole)) return;
    if (value.map()) return Map(*value.map(), *s, s->embedded || whole, path);
    if (!value.list() || !s->items || !s->items->has_embedded) return;
    size_t i = 0;
    for (const Value& item : value.list()->items()) Any(item, s->items, Index(path, i++));
  }

  void Map(const MapNode& map, const Schema& s, bool embedded, const std::string& path) {
    if (!s.has_embedded && !embedded) return;
    if (embedded) Object(map, path);
    for (const auto& entry : map.entries()) {
      if (const Schema* property = s.Find(entry.key)) {
        if (property->has_embedded) Any(entry.value, property, Child(path, entry.key));
      } else if (s.additional && s.additional->has_embedded) {
        Any(entry.value, s.additional, Key(path, entry.key));
      }
    }
  }

  ErrorList errors;

 private:
  void Object(const MapNode& map, const std::string& path) {
    for (const std::string_view name : {"apiVersion", "kind"})
      if (!map.Find(name)) errors.Add(Make(ErrorType::kRequired, Child(path, name), ""));
    if (const Value* version = map.Find("apiVersion")) ApiVersion(*version, Child(path, "apiVersion"));
    if (const Value* kind = map.Find("kind")) Kind(*kind, Child(path, "kind"));
    if (const Value* metadata = map.Find("metadata")) Metadata(*metadata, Child(path, "metadata"));
  }

  bool IsText(const Value& value, const std::string& path) {
    if (!value.is(Value::Tag::kString)) {
      errors.Add(Make(ErrorType::kInvalid, path, RenderTree(value), "must be a string"));
      return false;
    }
    if (!value.string().empty()) return true;
    errors.Add(Make(ErrorType::kInvalid, path, RenderTree(value), "must not be empty"));
    return false;
  }

  void ApiVersion(const Value& value, const std::string& path) {
    if (!IsText(value, path)) return;
    if (std::ranges::count(value.string(), '/') > 1)
      errors.Add(Make(ErrorType::kInvalid, path, RenderTree(value),
                      "unexpected GroupVersion string: " + std::string(value.string())));
  }

  void Kind(const Value& value, const std::string& path) {
    if (!IsText(value, path)) return;
    std::string lower(value.string());
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    std::string why;
    for (const std::string& error : api::IsDns1035Label(lower))
      why.append(why.empty() ? "" : ",").append(error);
    if (!why.empty())
      errors.Add(Make(ErrorType::kInvalid, path, RenderTree(value),
                      "may have mixed case, but should otherwise match: " + why));
  }

  void Metadata(const Value& value, const std::string& path) {
    api::Arena arena;
    auto metadata =
        api::json::Decode(arena.CopyString(TreeJson(value)), api::meta_v1::kObjectMetaType, arena, nullptr);
    if (!metadata)
      return errors.Add(Make(ErrorType::kInvalid, path, RenderTree(value), metadata.error().message));
    api::meta_v1::ObjectMetaEditor editor(*metadata, &arena);
    if (editor.name().empty()) editor.set_name_static("fakename");
    errors.Append(api::ValidateObjectMeta(
        editor, !editor.namespace_().empty(),
        [](std::string_view name, bool prefix) { return api::NameIsPathSegment(name, prefix); },
        api::field::Path(path)));
  }
};

}  // namespace

bool ArePlainlyDistinct(std::span<const Value> items, const Schema& s) {
  constexpr size_t kFew = 16;
  if (items.size() > kFew || s.list_map_keys.empty()) return false;
  const Value* keys[kFew];
  for (size_t i = 0; i < items.size(); ++i) {
    const Value* const key = items[i].map() ? items[i].map()->Find(s.list_map_keys[0]) : nullptr;
    if (!key || !(key->is(Value::Tag::kString) || key->is(Value::Tag::kInt))) return false;
    for (size_t j = 0; j < i; ++j) {
      if (keys[j]->tag() != key->tag() ||
          (keys[j]->string() == key->string() && keys[j]->integer() == key->integer()))
        return false;
    }
    keys[i] = key;
  }
  return true;
}

std::string ListKeysOf(const Value& item, const Schema& s) {
  api::Arena arena;
  MapNode* keys = MapNode::New(nullptr, arena);
  if (item.map())
    for (const std::string_view name : s.list_map_keys)
      if (const Value* key = item.map()->Find(name)) keys->Set(name, *key, arena);
  return TreeJson(Value::Of(keys));
}

ErrorList ValidateListTypes(const MapNode& content, const Schema& root) {
  ListTypes list_types;
  list_types.Map(content, root, "");
  return std::move(list_types.errors);
}

ErrorList ValidateEmbedded(const MapNode& content, const Schema& root) {
  Embedded embedded;
  embedded.Map(content, root, false, "");
  return std::move(embedded.errors);
}

ErrorList ValidateEmbeddedValue(const Value& value, const Schema& schema, bool whole,
                                const std::string& path) {
  Embedded embedded;
  embedded.Any(value, &schema, path, whole);
  return std::move(embedded.errors);
}

}  // namespace keelson::extensions
