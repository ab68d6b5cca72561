// The descriptions of built-in types and fields (schema/descriptions/*.txt), compressed. Only the writer of
// OpenAPI documents reads them, so their pages stay on disk until a document is asked for.
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

// One entry for each schema that has descriptions.
std::span<const SchemaTexts> CompressedDescriptions();

}  // namespace keelson::api
