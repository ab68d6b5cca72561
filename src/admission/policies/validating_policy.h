// ValidatingPolicy: one ValidatingAdmissionPolicy, compiled, and what it says of a request.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admission/policies/evaluation.h"

namespace keelson::admission {

struct PolicyDecision {
  bool denied = false;
  std::string message;
  std::string reason;   // empty: Invalid
  bool always = false;  // denies whatever the actions of the binding are
  std::chrono::nanoseconds took{0};
};

// PolicyResult: the outcome of one policy for one request and one parameter.
struct PolicyResult {
  std::vector<PolicyDecision> decisions;  // one for each validation, then those that audit annotations cause
  std::vector<std::pair<std::string, std::string>> annotations;  // for the audit log, by the policy's keys
};

// Immutable. Threads: any.
class ValidatingPolicy {
 public:
  // Keeps `doc`, a ValidatingAdmissionPolicy.
  explicit ValidatingPolicy(api::Doc doc);

  const api::Doc& doc() const { return doc_; }
  api::admissionregistration_v1::ValidatingAdmissionPolicyView view() const;
  bool fails() const { return fail_; }  // failurePolicy: Fail

  // Nothing where match conditions do not hold. Throws Decisions::Needed.
  PolicyResult Validate(const RequestValues& request, const cel::Value& params) const;

 private:
  PolicyDecision Failed(std::string message) const { return {fail_, std::move(message), ""}; }
  PolicyDecision Judge(size_t i, const Evaluation::Result& result,
                       const std::optional<Evaluation::Result>& message) const;

  api::Doc doc_;
  bool fail_ = true;
  cel::AdmissionCompiler compiler_{true};
  std::vector<CompiledVariable> variables_;
  std::vector<CompiledExpression> conditions_, validations_, annotations_;
  std::vector<std::optional<CompiledExpression>> messages_;  // by validation
};

}  // namespace keelson::admission
