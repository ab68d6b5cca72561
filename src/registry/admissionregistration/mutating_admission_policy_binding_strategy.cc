#include "api/validation/admissionregistration/policies.h"
#include "api/validation/names.h"
#include "registry/admissionregistration/strategies.h"
#include "registry/admissionregistration/versioned.h"

namespace keelson::registry::admissionregistration {
namespace {

using api::admissionregistration_v1::MutatingAdmissionPolicyBindingView;
using api::field::ErrorList;

class MutatingAdmissionPolicyBindingStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { StartGeneration(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::admissionregistration::ValidateBinding(MutatingAdmissionPolicyBindingView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return ReservedNameWarnings(doc);
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    CountGeneration(now, was, "spec");
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
