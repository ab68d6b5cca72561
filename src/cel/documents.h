// Documents as values: an object is read as its JSON would be, where it is, field by field as
// an expression asks for them.
//
// Lifetime: a value borrows the document. Threads: a value belongs to one evaluation.
#pragma once

#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "base/result.h"
#include "cel/value.h"

namespace keelson::cel {

// The whole object, a map by the names of its members.
Value FromDoc(const api::Doc& doc);
// The same, whatever the document says of its kind itself.
Value FromDoc(const api::Doc& doc, std::string api_version, std::string kind);
// A part of one. `type` is null for trees without a schema.
Value FromDocument(const api::Value& value, const api::TypeDesc* type);
// Any JSON text, kept with the value; an error for what is no JSON.
Value FromJson(std::string_view text);

// The other way: a value as a tree without a schema, in `arena`. The error says what has no form
// in JSON.
base::Result<api::Value, std::string> ToTree(const Value& value, api::Arena& arena);

}  // namespace keelson::cel
