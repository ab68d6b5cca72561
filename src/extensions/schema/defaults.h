// Defaulting: what a schema says of members that are not given.
#pragma once

#include "api/types/doc.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// Fills the defaults into the members of a whole object.
void FillDefaults(api::MapNode& content, const Schema& root, api::Arena& arena);
// Whether FillDefaults would change nothing.
bool HasDefaults(const api::MapNode& content, const Schema& root);

}  // namespace keelson::extensions
