// VersionType: what one version of a custom resource says of its objects, by its schema.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "api/types/custom_type.h"
#include "base/mutex.h"
#include "extensions/crd/stored_definition.h"
#include "extensions/schema/schema.h"
#include "extensions/schema/validate.h"

namespace keelson::extensions {

class ConversionWebhook;

// Makes what evaluates the rules of a schema. Empty, or giving null: they are not evaluated.
using MakeRuleChecker = std::function<std::unique_ptr<const RuleChecker>(const SchemaTree&)>;

// CompiledSchema: the schema that one or several versions of a definition have, compiled when somebody first
// asks for it: most definitions of a large cluster are used by nobody.
//
// Threads: any.
class CompiledSchema {
 public:
  // The schema of the version with index `version`.
  CompiledSchema(std::shared_ptr<const StoredDefinition> definition, size_t version, bool preserve_unknown,
                 MakeRuleChecker make_rules);
  ~CompiledSchema();

  const SchemaTree& tree() const { return Get().tree; }
  // Null: rules are not evaluated, or there are none.
  const RuleChecker* rules() const { return Get().rules.get(); }
  // The JSON of the schema, for those who publish it; empty: there is none.
  std::string Text() const;
  bool preserve_unknown() const { return preserve_unknown_; }
  size_t memory_bytes() const;

 private:
  struct Compiled {
    Compiled(api::apiextensions_v1::JSONSchemaPropsView schema, bool preserve_unknown,
             const MakeRuleChecker& make_rules);
    const SchemaTree tree;
    const std::unique_ptr<const RuleChecker> rules;
  };
  const Compiled& Get() const {
    const Compiled* const compiled = compiled_.load(std::memory_order_acquire);
    return compiled ? *compiled : Compile();
  }
  const Compiled& Compile() const;
  // Within `definition`.
  api::apiextensions_v1::JSONSchemaPropsView SchemaIn(const api::Doc& definition) const;

  const std::shared_ptr<const StoredDefinition> definition_;
  const size_t version_;
  const bool preserve_unknown_;
  const MakeRuleChecker make_rules_;
  mutable std::atomic<const Compiled*> compiled_{nullptr};
  mutable base::Mutex mu_;
  mutable std::unique_ptr<const Compiled> owned_ GUARDED_BY(mu_);
};

// Threads: immutable, any.
class VersionType final : public api::CustomType {
 public:
  // `versions`: of the resource; `api_version`: "group/version" of this one; `converter`: between them, null:
  // there is none. All are borrowed.
  VersionType(const CompiledSchema& schema, bool has_status, std::span<const std::string_view> versions,
              std::string_view api_version, const ConversionWebhook* converter = nullptr);

  base::Result<void, std::string> Coerce(api::StructNode& root, api::Arena& arena,
                                         std::vector<std::string>* unknown) const override;
  // An object that came in another version has its defaults from there.
  void SetDefaults(api::StructNode& root, api::Arena& arena) const override;
  bool Settle(api::StructNode& root, api::Arena& arena) const override;
  bool has_status() const override { return has_status_; }
  bool HasVersion(std::string_view version) const override;
  const api::TypeDesc& content_type() const override { return schema_.tree().merge_type(); }
  bool SameContent(const api::CustomType& other) const override {
    return &static_cast<const VersionType&>(other).schema_ == &schema_;
  }

  const api::CustomConverter* converter() const override;
  const api::TypeDesc* TypeIn(std::string_view api_version) const override;

  const api::TypeDesc& type() const { return type_; }
  const Schema& schema() const { return schema_.tree().root(); }
  const RuleChecker* rules() const { return schema_.rules(); }
  const CompiledSchema& compiled() const { return schema_; }

 private:
  const CompiledSchema& schema_;
  const bool has_status_;
  const std::span<const std::string_view> versions_;
  const std::string_view api_version_;
  const ConversionWebhook* const converter_;
  const api::CustomTypeDesc type_;
};

}  // namespace keelson::extensions
