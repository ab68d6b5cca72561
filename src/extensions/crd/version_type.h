// VersionType: what one version of a custom resource says of its objects, by its schema.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/types/custom_type.h"
#include "extensions/schema/schema.h"
#include "extensions/schema/validate.h"

namespace keelson::extensions {

// Makes what evaluates the rules of a schema. Empty, or giving null: they are not evaluated.
using MakeRuleChecker = std::function<std::unique_ptr<const RuleChecker>(const SchemaTree&)>;

// What versions with the same schema share.
struct CompiledSchema {
  // `schema` is borrowed for the call.
  CompiledSchema(api::apiextensions_v1::JSONSchemaPropsView schema, bool preserve_unknown,
                 const MakeRuleChecker& make_rules);

  const std::string text;  // the JSON of the schema, for those who publish it; empty: there is none
  const SchemaTree tree;
  const bool preserve_unknown;
  const std::unique_ptr<const RuleChecker> rules;  // null: they are not evaluated, or there are none
};

// Threads: immutable, any.
class VersionType final : public api::CustomType {
 public:
  // `versions`: of the resource; `api_version`: "group/version" of this one. All are borrowed.
  VersionType(const CompiledSchema& schema, bool has_status, std::span<const std::string_view> versions,
              std::string_view api_version);

  base::Result<void, std::string> Coerce(api::StructNode& root, api::Arena& arena,
                                         std::vector<std::string>* unknown) const override;
  // An object that came in another version has its defaults from there.
  void SetDefaults(api::StructNode& root, api::Arena& arena) const override;
  bool Settle(api::StructNode& root, api::Arena& arena) const override;
  bool has_status() const override { return has_status_; }
  bool HasVersion(std::string_view version) const override;
  bool SameContent(const api::CustomType& other) const override {
    return &static_cast<const VersionType&>(other).schema_ == &schema_;
  }

  const api::TypeDesc& type() const { return type_; }
  const Schema& schema() const { return schema_.tree.root(); }
  const RuleChecker* rules() const { return schema_.rules.get(); }
  const CompiledSchema& compiled() const { return schema_; }

 private:
  const CompiledSchema& schema_;
  const bool has_status_;
  const std::span<const std::string_view> versions_;
  const std::string_view api_version_;
  const api::CustomFields fields_;
  const api::CustomTypeDesc type_;
};

}  // namespace keelson::extensions
