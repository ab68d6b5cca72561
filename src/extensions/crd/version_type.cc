#include "extensions/crd/version_type.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "extensions/schema/defaults.h"
#include "extensions/schema/prune.h"

namespace keelson::extensions {

namespace {

std::string JsonOf(api::apiextensions_v1::JSONSchemaPropsView schema) {
  if (!schema) return {};
  base::BufferBuilder text;
  api::json::Encode(*schema.node(), text);
  return std::string(text.view());
}

}  // namespace

CompiledSchema::CompiledSchema(api::apiextensions_v1::JSONSchemaPropsView schema, bool preserve,
                               const MakeRuleChecker& make_rules)
    : text(JsonOf(schema)),
      tree(schema, preserve),
      preserve_unknown(preserve),
      rules(make_rules && tree.root().has_rules ? make_rules(tree) : nullptr) {}

VersionType::VersionType(const CompiledSchema& schema, bool has_status,
                         std::span<const std::string_view> versions, std::string_view api_version)
    : schema_(schema),
      has_status_(has_status),
      versions_(versions),
      api_version_(api_version),
      fields_(&schema.tree.merge_type()),
      type_(api::CustomRoot(fields_, this)) {}

bool VersionType::HasVersion(std::string_view version) const {
  return std::ranges::find(versions_, version) != versions_.end();
}

base::Result<void, std::string> VersionType::Coerce(api::StructNode& root, api::Arena& arena,
                                                    std::vector<std::string>* unknown) const {
  api::MapNode* content = api::ContentOf(root).map();
  if (!content) return {};
  if (!schema_.preserve_unknown) {
    PruneContent(*content, schema(), unknown);
    PruneNulls(*content, schema());
  }
  return CoerceEmbedded(*content, schema(), arena, unknown);
}

void VersionType::SetDefaults(api::StructNode& root, api::Arena& arena) const {
  if (schema().has_defaults && root.slot(1).string() == api_version_)
    FillDefaults(api::MutableContentOf(root, arena), schema(), arena);
}

bool VersionType::Settle(api::StructNode& root, api::Arena& arena) const {
  constexpr size_t kMetadata = 2;  // ordinal
  const bool coerced = Coerce(root, arena, nullptr).has_value();
  if (!coerced || root.slot(1).string() != api_version_) return false;
  const api::MapNode* const content = api::ContentOf(root).map();
  const bool complete =
      !schema().has_defaults || HasDefaults(content ? *content : api::MapNode{nullptr}, schema());
  return complete && api::meta_v1::ObjectMetaView(root.slot(kMetadata).node()).generation() > 0;
}

}  // namespace keelson::extensions
