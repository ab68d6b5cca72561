#include "api/validation/admissionregistration/webhooks.h"
#include "api/validation/names.h"
#include "cel/rules.h"
#include "registry/admissionregistration/reserved_names.h"
#include "registry/admissionregistration/strategies.h"
#include "registry/core/generation.h"

namespace keelson::registry::admissionregistration {
namespace {

using api::admissionregistration_v1::MutatingWebhookConfigurationView;
using api::field::ErrorList;

class MutatingWebhookConfigurationStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { core::StartGeneration(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::admissionregistration::ValidateWebhooks(MutatingWebhookConfigurationView(doc), cel::Rules());
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return ReservedNameWarnings(doc);
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::CountGeneration(now, was, "webhooks");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::admissionregistration::ValidateWebhooksUpdate(
        MutatingWebhookConfigurationView(now), MutatingWebhookConfigurationView(was), cel::Rules());
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return ReservedNameWarnings(now);
  }
};

}  // namespace

const Strategy& MutatingWebhookConfigurations() {
  static const MutatingWebhookConfigurationStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::admissionregistration
