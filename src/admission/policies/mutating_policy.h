// MutatingPolicy: one MutatingAdmissionPolicy, compiled, and what it makes of an object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/policies/evaluation.h"

namespace keelson::admission {

// Immutable. Threads: any.
class MutatingPolicy {
 public:
  // Keeps `doc`, a MutatingAdmissionPolicy.
  explicit MutatingPolicy(api::Doc doc);

  const api::Doc& doc() const { return doc_; }
  api::admissionregistration_v1::MutatingAdmissionPolicyView view() const;
  bool fails() const { return fail_; }  // failurePolicy: Fail
  bool reinvocable() const;

  // Whether the match conditions hold. Throws Decisions::Needed.
  base::Result<bool, std::string> Applies(const RequestValues& request, const cel::Value& params) const;
  size_t mutations() const { return mutations_.size(); }
  // Makes one mutation of `object`, which `request` shows. The error is why it cannot be made.
  // Throws Decisions::Needed, and has changed nothing then.
  base::Result<void, std::string> Mutate(size_t i, const RequestValues& request, const cel::Value& params,
                                         api::Doc& object) const;

 private:
  struct Mutation {
    bool json_patch = false;
    CompiledExpression expression;
  };

  api::Doc doc_;
  bool fail_ = true;
  cel::AdmissionCompiler compiler_{true};
  std::vector<CompiledVariable> variables_;
  std::vector<CompiledExpression> conditions_;
  std::vector<Mutation> mutations_;
};

}  // namespace keelson::admission
