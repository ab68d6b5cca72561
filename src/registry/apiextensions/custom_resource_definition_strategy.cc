#include <set>
#include <string_view>

#include "api/meta/object_meta.h"
#include "api/validation/apiextensions/custom_resource_definition.h"
#include "api/validation/apiextensions/formats.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "registry/apiextensions/strategies.h"
#include "registry/core/fields.h"

namespace keelson::registry::apiextensions {
namespace {

using api::field::ErrorList;
using namespace api::apiextensions_v1;

// Remembers in which versions objects may be stored: the storage version joins those there
// were before.
void AddStorageVersion(CustomResourceDefinitionEditor definition) {
  for (const auto version : definition.spec().versions()) {
    if (!version.storage()) continue;
    for (const api::Value& stored : definition.status().stored_versions())
      if (stored.string() == version.name()) return;
    definition.mutable_status().add_stored_versions(version.name());
    return;
  }
}

// Of formats that nobody knows, those that were not there before.
std::vector<std::string> FormatWarnings(const api::Doc& now, CustomResourceDefinitionView was) {
  std::vector<std::string> warnings;
  const auto formats = api::apiextensions::UnrecognizedFormats(was);
  const std::set<std::string_view> known(formats.begin(), formats.end());
  for (const std::string& format : api::apiextensions::UnrecognizedFormats(CustomResourceDefinitionView(now)))
    if (!known.contains(format)) warnings.push_back("unrecognized format " + api::Quoted(format));
  return warnings;
}

constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

// The condition of that type, made if there is none; told when it changes.
void SetCondition(CustomResourceDefinitionStatusEditor status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, int64_t now) {
  for (auto condition : status.edit_conditions()) {
    if (condition.type() != type) continue;
    if (condition.status() != value) condition.set_last_transition_time(now);
    condition.set_status(value);
    condition.set_reason(reason);
    return condition.set_message(message);
  }
  auto condition = status.add_conditions();
  condition.set_type(type);
  condition.set_status(value);
  condition.set_last_transition_time(now);
  condition.set_reason(reason);
  condition.set_message(message);
}

// CustomResourceDefinition: what it defines is served by extensions/crd, which cleans up when one is deleted.
class CustomResourceDefinitionStrategy : public Strategy {
 public:
  explicit CustomResourceDefinitionStrategy(const api::apiextensions::SchemaRules* rules) : rules_(rules) {}

  bool NamespaceScoped() const override { return false; }
  bool ValidatesMetadata() const override { return true; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    CustomResourceDefinitionEditor definition(doc);
    definition.clear_status();
    definition.mutable_metadata().set_generation(1);
    AddStorageVersion(definition);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apiextensions::ValidateCustomResourceDefinition(CustomResourceDefinitionView(doc), rules_);
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return FormatWarnings(doc, CustomResourceDefinitionView());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
    CustomResourceDefinitionEditor definition(now);
    const CustomResourceDefinitionView old(was);
    if (!api::Equal(definition.spec().node(), old.spec().node()))
      definition.mutable_metadata().set_generation(old.metadata().generation() + 1);
    AddStorageVersion(definition);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apiextensions::ValidateCustomResourceDefinitionUpdate(
        CustomResourceDefinitionView(now), CustomResourceDefinitionView(was), rules_);
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    return FormatWarnings(now, CustomResourceDefinitionView(was));
  }
  void PrepareForDeletion(const WriteContext& context, api::Doc& doc) const override {
    CustomResourceDefinitionEditor definition(doc);
    if (!api::HasFinalizer(definition.metadata(), kCleanup))
      definition.mutable_metadata().add_finalizers(kCleanup);
    SetCondition(definition.mutable_status(), "Terminating", "True", "InstanceDeletionPending",
                 "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                 api::NowSeconds(*context.clock));
  }

 private:
  const api::apiextensions::SchemaRules* const rules_;
};

class CustomResourceDefinitionStatusStrategy final : public CustomResourceDefinitionStrategy {
 public:
  CustomResourceDefinitionStatusStrategy() : CustomResourceDefinitionStrategy(nullptr) {}
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apiextensions::ValidateCustomResourceDefinitionStatusUpdate(
        CustomResourceDefinitionView(now));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeCustomResourceDefinitions(const Dependencies& dependencies) {
  return std::make_unique<CustomResourceDefinitionStrategy>(dependencies.schema_rules);
}

const Strategy& CustomResourceDefinitionStatus() {
  static const CustomResourceDefinitionStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apiextensions
