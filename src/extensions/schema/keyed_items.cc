#include "extensions/schema/keyed_items.h"

#include "extensions/schema/render.h"

namespace keelson::extensions {

std::optional<std::string> KeyOf(const api::Value& item, const Schema& list) {
  using Tag = api::Value::Tag;
  if (!item.map()) return std::nullopt;
  std::string key;
  for (const std::string_view name : list.list_map_keys) {
    const api::Value* const value = item.map()->Find(name);
    if (!value) return std::nullopt;
    switch (value->tag()) {
      case Tag::kBool:
      case Tag::kInt:
      case Tag::kDouble:
      case Tag::kString: break;
      default: return std::nullopt;
    }
    // 1 and 1.0 are different keys.
    key.append(1, static_cast<char>('0' + static_cast<int>(value->tag()))).append(RenderTree(*value));
    key.append(1, '\0');
  }
  return key;
}

KeyedItems::KeyedItems(const api::Value* list, const Schema& schema) : schema_(schema) {
  const bool keyed = schema.type == JsonType::kArray && schema.list_type == api::ListType::kMap &&
                     !schema.list_map_keys.empty();
  if (!keyed || !list || !list->list()) return;
  for (const api::Value& item : list->list()->items())
    if (auto key = KeyOf(item, schema)) items_.try_emplace(*std::move(key), &item);
}

const api::Value* KeyedItems::Find(const api::Value& item) const {
  if (items_.empty()) return nullptr;
  const auto key = KeyOf(item, schema_);
  if (!key) return nullptr;
  const auto found = items_.find(*key);
  return found == items_.end() ? nullptr : found->second;
}

}  // namespace keelson::extensions
