#include "admission/policies/validating_policy.h"

#include "base/ascii.h"

namespace keelson::admission {
namespace {

using namespace api::admissionregistration_v1;
using cel::AdmissionUse;
using cel::Value;

constexpr size_t kMaxMessageBytes = 5 * 1024;
constexpr size_t kMaxAnnotationBytes = 10 * 1024;

}  // namespace

ValidatingPolicy::ValidatingPolicy(api::Doc doc) : doc_(std::move(doc)) {
  const auto spec = view().spec();
  fail_ = spec.failure_policy() != "Ignore";
  const cel::AdmissionScope scope{.params = static_cast<bool>(spec.param_kind())};
  cel::AdmissionScope for_messages = scope;
  for_messages.authorizer = false;
  const auto compile = [&](std::string_view expression, AdmissionUse use) {
    return CompiledExpression::Of(expression, compiler_.Compile(expression, use, scope));
  };
  for (const auto variable : spec.variables())
    variables_.push_back(
        {std::string(variable.name()),
         CompiledExpression::Of(variable.expression(),
                                compiler_.AddVariable(variable.name(), variable.expression(), scope))});
  for (const auto condition : spec.match_conditions())
    conditions_.push_back(compile(condition.expression(), AdmissionUse::kMatchCondition));
  for (const auto validation : spec.validations()) {
    validations_.push_back(compile(validation.expression(), AdmissionUse::kValidation));
    const std::string_view message = validation.message_expression();
    messages_.emplace_back();
    if (!message.empty())
      messages_.back() =
          CompiledExpression::Of(message, compiler_.Compile(message, AdmissionUse::kMessage, for_messages));
  }
  for (const auto annotation : spec.audit_annotations())
    annotations_.push_back(compile(annotation.value_expression(), AdmissionUse::kAuditAnnotation));
}

ValidatingAdmissionPolicyView ValidatingPolicy::view() const { return ValidatingAdmissionPolicyView(doc_); }

PolicyDecision ValidatingPolicy::Judge(size_t i, const Evaluation::Result& result,
                                       const std::optional<Evaluation::Result>& computed) const {
  if (!result.error.empty()) return Failed(result.error);
  if (result.value.is_true()) return {};
  const auto validation = view().spec().validations()[i];
  PolicyDecision decision{true, "", std::string(validation.reason())};
  if (computed && computed->error.empty() && computed->value.is(Value::Kind::kString)) {
    const std::string_view text = base::Trimmed(computed->value.text());
    if (text.size() <= kMaxMessageBytes && text.find('\n') == std::string_view::npos) decision.message = text;
  }
  if (decision.message.empty()) decision.message = base::Trimmed(validation.message());
  if (decision.message.empty())
    decision.message = "failed expression: " + std::string(base::Trimmed(validation.expression()));
  return decision;
}

PolicyResult ValidatingPolicy::Validate(const RequestValues& request, const Value& params) const {
  const auto failed = [this](std::string why) { return PolicyResult{.decisions = {Failed(std::move(why))}}; };
  if (!conditions_.empty()) {
    const auto hold = ConditionsHold(conditions_, request, params, variables_, fail_);
    if (!hold) return failed(hold.error());
    if (!*hold) return {};
  }
  Evaluation evaluation(request, params, variables_, true, cel::kCostBudget);
  std::vector<Evaluation::Result> results;
  std::vector<std::chrono::nanoseconds> took;
  for (const CompiledExpression& validation : validations_) {
    const auto start = std::chrono::steady_clock::now();
    auto result = evaluation.Run(validation);
    took.push_back(std::chrono::steady_clock::now() - start);
    if (!result) return failed(std::string(cel::kOutOfBudget));
    results.push_back(std::move(*result));
  }
  Evaluation for_messages(request, params, variables_, false, evaluation.budget());
  std::vector<std::optional<Evaluation::Result>> messages(results.size());
  bool spent = false;
  for (size_t i = 0; i < results.size() && !spent; ++i) {
    if (!messages_[i]) continue;
    messages[i] = for_messages.Run(*messages_[i]);
    spent = !messages[i];
  }
  PolicyResult said;
  std::vector<PolicyDecision>& decisions = said.decisions;
  for (size_t i = 0; i < results.size(); ++i) {
    if (spent && results[i].error.empty()) {
      decisions.push_back(Failed("failed messageExpression: " + std::string(cel::kOutOfBudget)));
    } else {
      decisions.push_back(Judge(i, results[i], messages[i]));
    }
    decisions.back().took = took[i];
  }
  Evaluation for_annotations(request, params, variables_, false, cel::kCostBudget);
  for (size_t i = 0; i < annotations_.size(); ++i) {
    const auto result = for_annotations.Run(annotations_[i]);
    if (!result) return failed(std::string(cel::kOutOfBudget));
    if (!result->error.empty() && fail_) decisions.push_back({true, result->error, "", true});
    if (!result->error.empty() || !result->value.is(Value::Kind::kString)) continue;
    const std::string_view text = base::Trimmed(result->value.text());
    if (text.empty()) continue;
    said.annotations.emplace_back(view().spec().audit_annotations()[i].key(),
                                  text.substr(0, kMaxAnnotationBytes));
  }
  return said;
}

}  // namespace keelson::admission
