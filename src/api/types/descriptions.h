// What the built-in types and fields are for, in words: schema/descriptions/*.txt, compressed. Nobody reads
// them but who writes OpenAPI documents, so they stay on disk until then.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace keelson::api {

// The words of one schema. Inflated they are texts that each end with a zero: for every type of the schema in
// order of name its own, then one for each of its fields, which is empty for an inline one.
struct SchemaTexts {
  std::string_view schema;  // "core_v1"
  size_t size;              // of the texts, inflated
  std::string_view bytes;   // a zlib stream
};

// Of the schemas that have words.
std::span<const SchemaTexts> CompressedDescriptions();

}  // namespace keelson::api
