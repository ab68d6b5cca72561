#include "cel/rules.h"

#include "cel/admission.h"
#include "cel/devices.h"

namespace keelson::cel {
namespace {

using api::ExpressionProblem;
using api::ExpressionUse;
using api::MaybeProblem;

MaybeProblem ProblemOf(const CompileError& error) {
  return ExpressionProblem{
      error.internal ? ExpressionProblem::Kind::kInternal : ExpressionProblem::Kind::kInvalid, error.detail};
}

class PolicyRules final : public api::ExpressionRules::Policy {
 public:
  PolicyRules(bool has_params, bool has_variables) : compiler_(has_variables), has_params_(has_params) {}

  MaybeProblem AddVariable(std::string_view name, std::string_view expression) override {
    const auto compiled = compiler_.AddVariable(name, expression, {.params = has_params_});
    return compiled ? std::nullopt : ProblemOf(compiled.error());
  }

  MaybeProblem Check(ExpressionUse use, std::string_view expression) const override {
    AdmissionScope scope{.params = has_params_};
    AdmissionUse wanted = AdmissionUse::kValidation;
    switch (use) {
      case ExpressionUse::kValidation: break;
      case ExpressionUse::kMessage:
        wanted = AdmissionUse::kMessage;
        scope.authorizer = false;
        break;
      case ExpressionUse::kAuditAnnotation: wanted = AdmissionUse::kAuditAnnotation; break;
      case ExpressionUse::kApplyConfiguration: wanted = AdmissionUse::kApplyConfiguration; break;
      case ExpressionUse::kJsonPatch: wanted = AdmissionUse::kJsonPatch; break;
    }
    scope.patch_types = use == ExpressionUse::kApplyConfiguration || use == ExpressionUse::kJsonPatch;
    const auto compiled = compiler_.Compile(expression, wanted, scope);
    return compiled ? std::nullopt : ProblemOf(compiled.error());
  }

 private:
  AdmissionCompiler compiler_;
  bool has_params_;
};

class LanguageRules final : public api::ExpressionRules {
 public:
  std::unique_ptr<Policy> NewPolicy(bool has_params, bool has_variables) const override {
    return std::make_unique<PolicyRules>(has_params, has_variables);
  }

  MaybeProblem MatchCondition(std::string_view expression, bool has_params) const override {
    const auto compiled =
        AdmissionCompiler(false).Compile(expression, AdmissionUse::kMatchCondition, {.params = has_params});
    return compiled ? std::nullopt : ProblemOf(compiled.error());
  }

  MaybeProblem DeviceSelector(std::string_view expression) const override {
    const auto compiled = CompileDeviceSelector(expression);
    if (!compiled) return ProblemOf(compiled.error());
    if (compiled->max_cost > kMaxSelectorCost)
      return ExpressionProblem{ExpressionProblem::Kind::kForbidden, "too complex, exceeds cost limit"};
    return std::nullopt;
  }
};

}  // namespace

const api::ExpressionRules& Rules() {
  static const LanguageRules rules;
  return rules;
}

}  // namespace keelson::cel
