#include "admission/policies/mutating_policy.h"

#include "admission/policies/patches.h"

namespace keelson::admission {

using namespace api::admissionregistration_v1;
using cel::AdmissionUse;

MutatingPolicy::MutatingPolicy(api::Doc doc) : doc_(std::move(doc)) {
  const auto spec = view().spec();
  fail_ = spec.failure_policy() != "Ignore";
  const cel::AdmissionScope scope{.params = static_cast<bool>(spec.param_kind())};
  cel::AdmissionScope for_patches = scope;
  for_patches.patch_types = true;
  for (const auto variable : spec.variables()) {
    auto compiled = compiler_.AddVariable(variable.name(), variable.expression(), scope);
    variables_.push_back(
        {std::string(variable.name()), CompiledExpression::Of(variable.expression(), std::move(compiled))});
  }
  for (const auto condition : spec.match_conditions())
    conditions_.push_back(CompiledExpression::Of(
        condition.expression(),
        compiler_.Compile(condition.expression(), AdmissionUse::kMatchCondition, scope)));
  for (const auto mutation : spec.mutations()) {
    const bool json_patch = mutation.patch_type() == "JSONPatch";
    const std::string_view expression =
        json_patch ? mutation.json_patch().expression() : mutation.apply_configuration().expression();
    const auto use = json_patch ? AdmissionUse::kJsonPatch : AdmissionUse::kApplyConfiguration;
    mutations_.push_back(
        {json_patch, CompiledExpression::Of(expression, compiler_.Compile(expression, use, for_patches))});
  }
}

MutatingAdmissionPolicyView MutatingPolicy::view() const { return MutatingAdmissionPolicyView(doc_); }
bool MutatingPolicy::reinvocable() const { return view().spec().reinvocation_policy() == "IfNeeded"; }

base::Result<bool, std::string> MutatingPolicy::Applies(const RequestValues& request,
                                                        const cel::Value& params) const {
  if (conditions_.empty()) return true;
  return ConditionsHold(conditions_, request, params, variables_, fail_);
}

base::Result<void, std::string> MutatingPolicy::Mutate(size_t i, const RequestValues& request,
                                                       const cel::Value& params, api::Doc& object) const {
  const Mutation& mutation = mutations_[i];
  if (!mutation.expression.program) return base::Err(mutation.expression.error);
  Evaluation evaluation(request, params, variables_, true, cel::kCostBudget);
  const auto result = evaluation.Run(mutation.expression);
  if (!result) return base::Err(std::string(cel::kOutOfBudget));
  if (!result->error.empty()) return base::Err(result->error);
  return mutation.json_patch ? ApplyPatch(result->value, object)
                             : ApplyConfiguration(result->value, request.request(), object);
}

}  // namespace keelson::admission
