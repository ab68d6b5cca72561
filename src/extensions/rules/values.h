// Values of custom objects as expressions see them: read where they are, by their schema.
//
// Lifetime: a value borrows the tree and the schema. Threads: it belongs to one evaluation.
#pragma once

#include "api/types/doc.h"
#include "cel/value.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// `whole`: an object with kind, apiVersion and metadata. What does not fit the schema is an error.
cel::Value ValueOf(const api::Value& value, const Schema& schema, bool whole);

}  // namespace keelson::extensions
