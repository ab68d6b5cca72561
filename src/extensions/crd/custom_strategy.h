// The rules of custom resources: those of their schemas.
#pragma once

#include "extensions/crd/custom_resource.h"
#include "registry/strategy.h"

namespace keelson::extensions {

// Of the objects themselves. Documents are in the stored version; they must fit the version that the client
// speaks. With a converter documents are in any version, and must fit that.
class CustomStrategy : public registry::Strategy {
 public:
  explicit CustomStrategy(const CustomResource& resource) : resource_(resource) {}

  bool NamespaceScoped() const override { return resource_.namespaced(); }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override;
  void PrepareForCreate(const registry::WriteContext& context, api::Doc& doc) const override;
  api::field::ErrorList Validate(const registry::WriteContext& context, const api::Doc& doc) const override;
  std::vector<std::string> WarningsOnCreate(const registry::WriteContext& context,
                                            const api::Doc& doc) const override;
  void PrepareForUpdate(const registry::WriteContext& context, api::Doc& now,
                        const api::Doc& was) const override;
  api::field::ErrorList ValidateUpdate(const registry::WriteContext& context, const api::Doc& now,
                                       const api::Doc& was) const override;
  std::vector<std::string> WarningsOnUpdate(const registry::WriteContext& context, const api::Doc& now,
                                            const api::Doc& was) const override;
  // From the version of the client to the stored one.
  void Canonicalize(api::Doc& doc) const override;

 protected:
  // The version that a request speaks, or, with a converter, that `doc` is in.
  const CustomResource::Version& VersionOf(const registry::WriteContext& context, const api::Doc& doc) const;
  api::field::ErrorList CheckKind(const api::Doc& doc) const;
  // The rules of the schema, unless `errors` show that it is too early for them.
  static void CheckRules(const registry::WriteContext& context, const CustomResource::Version& version,
                         const api::Doc& now, const api::Doc* was, api::field::ErrorList& errors);

  const CustomResource& resource_;
};

// Of their status.
class CustomStatusStrategy final : public CustomStrategy {
 public:
  using CustomStrategy::CustomStrategy;
  void PrepareForUpdate(const registry::WriteContext& context, api::Doc& now,
                        const api::Doc& was) const override;
  api::field::ErrorList ValidateUpdate(const registry::WriteContext& context, const api::Doc& now,
                                       const api::Doc& was) const override;
  std::vector<std::string> WarningsOnUpdate(const registry::WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace keelson::extensions
