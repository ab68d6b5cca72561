#include "endpoints/openapi/descriptions.h"

#include <zlib.h>

#include <algorithm>

#include "api/types/builtin_types.h"
#include "api/types/descriptions.h"

namespace keelson::endpoints::openapi {

std::string_view Descriptions::Of(const api::TypeDesc& type) {
  const std::string_view* const texts = TextsOf(type);
  return texts ? texts[0] : std::string_view();
}

std::string_view Descriptions::Of(const api::TypeDesc& type, const api::FieldDesc& field) {
  const std::string_view* const texts = TextsOf(type);
  return texts ? texts[1 + field.ordinal] : std::string_view();
}

const std::string_view* Descriptions::TextsOf(const api::TypeDesc& type) {
  const std::string_view schema = type.name.substr(0, type.name.rfind('.'));
  if (inflated_.insert(schema).second) Inflate(schema);
  const auto found = by_type_.find(&type);
  return found == by_type_.end() ? nullptr : found->second;
}

void Descriptions::Inflate(std::string_view schema) {
  const auto all = api::CompressedDescriptions();
  const auto found = std::ranges::find(all, schema, &api::SchemaTexts::schema);
  if (found == all.end()) return;
  std::string& bytes = bytes_.emplace_back(found->size, '\0');
  uLongf size = bytes.size();
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(found->bytes.data()), found->bytes.size()) != Z_OK ||
      size != bytes.size())
    return;
  std::vector<std::string_view>& texts = texts_.emplace_back();
  for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(texts.back().size() + 1))
    texts.push_back(rest.substr(0, rest.find('\0')));
  // Types are sorted by name, those of one schema stand together.
  size_t next = 0;
  for (const api::TypeDesc* type : api::BuiltinTypes()) {
    if (!type->name.starts_with(schema) || type->name.rfind('.') != schema.size()) continue;
    by_type_.emplace(type, &texts[next]);
    next += 1 + type->fields.size();
  }
}

}  // namespace keelson::endpoints::openapi
