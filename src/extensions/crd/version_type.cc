#include "extensions/crd/version_type.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/generated/meta_v1.h"
#include "extensions/conversion/conversion_webhook.h"
#include "extensions/schema/defaults.h"
#include "extensions/schema/prune.h"

namespace keelson::extensions {

CompiledSchema::Compiled::Compiled(api::apiextensions_v1::JSONSchemaPropsView schema, bool preserve_unknown,
                                   const MakeRuleChecker& make_rules)
    : tree(schema, preserve_unknown),
      rules(make_rules && tree.root().has_rules ? make_rules(tree) : nullptr) {}

CompiledSchema::CompiledSchema(std::shared_ptr<const StoredDefinition> definition, size_t version,
                               bool preserve_unknown, MakeRuleChecker make_rules)
    : definition_(std::move(definition)),
      version_(version),
      preserve_unknown_(preserve_unknown),
      make_rules_(std::move(make_rules)) {}

CompiledSchema::~CompiledSchema() = default;

api::apiextensions_v1::JSONSchemaPropsView CompiledSchema::SchemaIn(const api::Doc& definition) const {
  if (!definition) return {};
  const auto versions = api::apiextensions_v1::CustomResourceDefinitionView(definition).spec().versions();
  if (version_ >= versions.size()) return {};
  return versions[version_].schema().open_apiv3_schema();
}

const CompiledSchema::Compiled& CompiledSchema::Compile() const {
  const base::MutexLock lock(mu_);
  if (!owned_) {
    const api::Doc definition = definition_->Read();
    owned_ = std::make_unique<const Compiled>(SchemaIn(definition), preserve_unknown_, make_rules_);
    compiled_.store(owned_.get(), std::memory_order_release);
  }
  return *owned_;
}

std::string CompiledSchema::Text() const {
  const api::Doc definition = definition_->Read();
  const auto schema = SchemaIn(definition);
  if (!schema) return {};
  base::BufferBuilder text;
  api::json::Encode(*schema.node(), text);
  return std::string(text.view());
}

size_t CompiledSchema::memory_bytes() const {
  const Compiled* const compiled = compiled_.load(std::memory_order_acquire);
  return sizeof(*this) + (compiled ? sizeof(*compiled) + compiled->tree.memory_bytes() : 0);
}

VersionType::VersionType(const CompiledSchema& schema, bool has_status,
                         std::span<const std::string_view> versions, std::string_view api_version,
                         const ConversionWebhook* converter)
    : schema_(schema),
      has_status_(has_status),
      versions_(versions),
      api_version_(api_version),
      converter_(converter),
      type_(api::CustomRoot(this)) {}

const api::CustomConverter* VersionType::converter() const { return converter_; }

const api::TypeDesc* VersionType::TypeIn(std::string_view api_version) const {
  return converter_ ? converter_->TypeIn(api_version) : nullptr;
}

bool VersionType::HasVersion(std::string_view version) const {
  return std::ranges::find(versions_, version) != versions_.end();
}

base::Result<void, std::string> VersionType::Coerce(api::StructNode& root, api::Arena& arena,
                                                    std::vector<std::string>* unknown) const {
  api::MapNode* content = api::ContentOf(root).map();
  if (!content) return {};
  if (!schema_.preserve_unknown()) {
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
