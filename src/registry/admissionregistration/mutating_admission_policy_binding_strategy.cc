#include "api/validation/admissionregistration/policies.h"
#include "registry/admissionregistration/reserved_names.h"
#include "registry/admissionregistration/strategies.h"
#include "registry/core/spec_strategy.h"

namespace keelson::registry::admissionregistration {
namespace {

using api::admissionregistration_v1::MutatingAdmissionPolicyBindingView;
using api::field::ErrorList;

class MutatingAdmissionPolicyBindingStrategy final : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::admissionregistration::ValidateBinding(MutatingAdmissionPolicyBindingView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return ReservedNameWarnings(doc);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::admissionregistration::ValidateBinding(MutatingAdmissionPolicyBindingView(now));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return ReservedNameWarnings(now);
  }
};

}  // namespace

const Strategy& MutatingAdmissionPolicyBindings() {
  static const MutatingAdmissionPolicyBindingStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::admissionregistration
