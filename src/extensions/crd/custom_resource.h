// CustomResource: a CustomResourceDefinition, compiled: what it serves, under which names and by which rules.
// Everything that a request needs is made here, once; it holds no objects and does no I/O.
//
// Threads: immutable, any.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/generated/apiextensions_v1.h"
#include "api/types/arena.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "extensions/conversion/conversion_parts.h"
#include "extensions/crd/column_printer.h"
#include "extensions/crd/version_type.h"

namespace keelson::extensions {

class CustomScaling;

class CustomResource {
 public:
  struct Version {
    std::string_view name;
    bool served = false;
    bool has_status = false;
    const VersionType* type = nullptr;
    api::ResourceDesc desc;  // what is served
    api::ResourceDesc
        closed_desc;  // the same while the definition is being deleted: nothing is created any more
    std::unique_ptr<const ColumnPrinter> printer;
    std::unique_ptr<const CustomScaling> scaling;  // null: there is no scale
    std::string deprecation;                       // the warning; empty: it is not deprecated
  };

  // `outline`: the definition without its schemas; `envelope`: the whole of it, encoded. `conversion` is
  // for the webhook that converts between versions, if there is one; what it names outlives the resource. The
  // error is for the log: a definition that validation should not have let in.
  static base::Result<std::shared_ptr<const CustomResource>, std::string> Make(
      const api::Doc& outline, base::Slice envelope, const MakeRuleChecker& make_rules,
      const ConversionParts& conversion = {});
  ~CustomResource();

  const std::string& name() const { return name_; }  // of the definition
  const std::string& uid() const { return uid_; }
  std::string_view group() const { return group_; }
  std::string_view plural() const { return plural_; }
  std::string_view kind() const { return kind_; }
  bool namespaced() const { return namespaced_; }
  const std::deque<Version>& versions() const { return versions_; }
  const Version& storage_version() const { return *storage_; }
  // Null: there is none of that name.
  const Version* Find(std::string_view version) const;
  // The one whose objects are of that type; null: there is none.
  const Version* Find(const api::TypeDesc& type) const;
  // Converts between the versions; null: they differ in nothing but what their schemas allow.
  const ConversionWebhook* converter() const { return converter_.get(); }

  // Stands for what would make another one of it: the spec, whose every change counts the generation up, the
  // accepted names, the definition's identity.
  static std::string KeyOf(const api::Doc& outline);
  const std::string& key() const { return key_; }
  // The definition as it is stored, which is read again when a schema is first used.
  const StoredDefinition& definition() const { return *definition_; }
  size_t memory_bytes() const;

 private:
  CustomResource();
  base::Result<void, std::string> Compile(api::apiextensions_v1::CustomResourceDefinitionView definition,
                                          const MakeRuleChecker& make_rules);
  void AddVersion(api::apiextensions_v1::CustomResourceDefinitionVersionView from,
                  const CompiledSchema& schema);
  void AddSchemas(api::apiextensions_v1::CustomResourceDefinitionView definition,
                  const MakeRuleChecker& make_rules);
  void Complete(api::apiextensions_v1::CustomResourceDefinitionView definition);
  std::span<const std::string_view> Texts(const std::vector<std::string_view>& texts);
  std::string_view Text(std::string_view text) { return arena_.CopyString(text); }

  std::string name_, uid_, key_;
  std::shared_ptr<const StoredDefinition> definition_;
  api::Arena arena_;  // of all the views
  std::string_view group_, plural_, kind_;
  bool namespaced_ = true;
  std::span<const std::string_view> version_names_;
  std::unique_ptr<ConversionWebhook> converter_;
  std::deque<CompiledSchema> schemas_;
  std::deque<VersionType> types_;  // by version
  std::vector<const CompiledSchema*> by_version_;
  std::deque<Version> versions_;  // in the order of the definition
  std::vector<const api::ResourceDesc*> served_;
  const Version* storage_ = nullptr;
};

}  // namespace keelson::extensions
