#include "api/validation/admissionregistration/policies.h"
#include "cel/rules.h"
#include "registry/admissionregistration/reserved_names.h"
#include "registry/admissionregistration/strategies.h"
#include "registry/core/spec_strategy.h"

namespace keelson::registry::admissionregistration {
namespace {

using api::admissionregistration_v1::ValidatingAdmissionPolicyView;
using api::field::ErrorList;

class ValidatingAdmissionPolicyStrategy : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::admissionregistration::ValidatePolicy(ValidatingAdmissionPolicyView(doc), cel::Rules());
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return ReservedNameWarnings(doc);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::admissionregistration::ValidatePolicyUpdate(ValidatingAdmissionPolicyView(now),
                                                            ValidatingAdmissionPolicyView(was), cel::Rules());
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return ReservedNameWarnings(now);
  }
};

class ValidatingAdmissionPolicyStatusStrategy final : public ValidatingAdmissionPolicyStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::admissionregistration::ValidatePolicyStatusUpdate(ValidatingAdmissionPolicyView(now));
  }
};

}  // namespace

const Strategy& ValidatingAdmissionPolicies() {
  static const ValidatingAdmissionPolicyStrategy strategy;
  return strategy;
}

const Strategy& ValidatingAdmissionPolicyStatus() {
  static const ValidatingAdmissionPolicyStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::admissionregistration
