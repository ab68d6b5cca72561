#include "api/validation/admissionregistration/policies.h"
#include "cel/rules.h"
#include "registry/admissionregistration/reserved_names.h"
#include "registry/admissionregistration/strategies.h"
#include "registry/core/spec_strategy.h"

namespace keelson::registry::admissionregistration {
namespace {

using api::admissionregistration_v1::MutatingAdmissionPolicyView;
using api::field::ErrorList;

class MutatingAdmissionPolicyStrategy final : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::admissionregistration::ValidatePolicy(MutatingAdmissionPolicyView(doc), cel::Rules());
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return ReservedNameWarnings(doc);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::admissionregistration::ValidatePolicyUpdate(MutatingAdmissionPolicyView(now),
                                                            MutatingAdmissionPolicyView(was), cel::Rules());
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return ReservedNameWarnings(now);
  }
};

}  // namespace

const Strategy& MutatingAdmissionPolicies() {
  static const MutatingAdmissionPolicyStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::admissionregistration
