// Pruning: what a schema does not know goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/types/doc.h"
#include "api/validation/field.h"
#include "base/result.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// Removes from the tree `value` what `schema` (null: nothing) does not specify. The paths go to `unknown`, if
// given, sorted.
void Prune(api::Value& value, const Schema* schema, std::vector<std::string>* unknown);
// The same for the members of a whole object.
void PruneContent(api::MapNode& content, const Schema& root, std::vector<std::string>* unknown);

// Removes nulls where the schema allows none and has nothing to put in their place.
void PruneNulls(api::MapNode& content, const Schema& root);

// Brings what is embedded into the form of objects: unknown members of their metadata go, with their paths to
// `unknown`. The error is ready to be shown: a member that cannot be what it must.
base::Result<void, std::string> CoerceEmbedded(api::MapNode& content, const Schema& root, api::Arena& arena,
                                               std::vector<std::string>* unknown);
// The same for a value at `path`. `whole`: it is an object itself, whatever the schema says.
std::optional<api::field::Error> CoerceEmbeddedValue(api::Value& value, const Schema& schema, bool whole,
                                                     const std::string& path, api::Arena& arena);

}  // namespace keelson::extensions
