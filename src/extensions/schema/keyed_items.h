// KeyedItems: the items of a list by the keys that make them what they are (x-kubernetes-list-map-keys).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "api/types/doc.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// What stands for the keys of an item; nothing: it has not all of them, or one is no scalar.
std::optional<std::string> KeyOf(const api::Value& item, const Schema& list);

// Borrows the list.
class KeyedItems {
 public:
  // Empty where the schema has no keys, or `list` is none.
  KeyedItems(const api::Value* list, const Schema& schema);
  // The first item with the keys of `item`; null: there is none.
  const api::Value* Find(const api::Value& item) const;

 private:
  const Schema& schema_;
  std::unordered_map<std::string, const api::Value*> items_;
};

}  // namespace keelson::extensions
