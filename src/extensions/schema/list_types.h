// Lists that are sets or maps have no element twice; what is embedded is an object.
#pragma once

#include <span>
#include <string>

#include "api/types/doc.h"
#include "api/validation/field.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// Whether the items of a list by key are few and differ in their first key, which each has as a text or a
// whole number. Most lists are like that, and need no texts of their keys to be told apart.
bool ArePlainlyDistinct(std::span<const api::Value> items, const Schema& s);

// What tells apart the elements of a list that is a map: the JSON of its keys.
std::string ListKeysOf(const api::Value& item, const Schema& s);

// Of the members of a whole object.
api::field::ErrorList ValidateListTypes(const api::MapNode& content, const Schema& root);
// The same for the kind, apiVersion and metadata of embedded objects.
api::field::ErrorList ValidateEmbedded(const api::MapNode& content, const Schema& root);
// The same for a value at `path`. `whole`: it is an object itself, whatever the schema says.
api::field::ErrorList ValidateEmbeddedValue(const api::Value& value, const Schema& schema, bool whole,
                                            const std::string& path);

}  // namespace keelson::extensions
