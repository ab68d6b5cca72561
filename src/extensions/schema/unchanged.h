// Whether a part of an object is as it was, which excuses mistakes in it: they were let in before.
#pragma once

#include "api/types/doc.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// Items of keyed lists are compared by key, in any order. What holds something that the schema does not know
// counts as changed, as it does upstream.
bool Unchanged(const api::Value& now, const api::Value& was, const Schema& schema);

}  // namespace keelson::extensions
