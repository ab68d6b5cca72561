// Evaluation: a request in the words of expressions, and how a policy's expressions are run
// on it: variables when they are first used, within one budget.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policies/decisions.h"
#include "admission/policies/matching.h"
#include "cel/admission.h"
#include "cel/budgets.h"
#include "cel/value.h"

namespace keelson::admission {

constexpr int64_t kMatchConditionsCostBudget = 2'500'000;

// An expression that was compiled, or the reason why not.
struct CompiledExpression {
  std::string expression;
  std::optional<cel::AdmissionProgram> program;
  std::string error;

  static CompiledExpression Of(std::string_view expression, cel::AdmissionCompiler::Result compiled);
};
struct CompiledVariable {
  std::string name;
  CompiledExpression value;
};

// The values of the variables, but for what differs between bindings. Borrows all it is made of.
class RequestValues {
 public:
  // `ns` is null for what is in no namespace.
  RequestValues(const MatchedRequest& request, const api::Doc* ns, const Decisions& decisions);
  // For mutations that change the object while policies are asked.
  void SetObject(const api::Doc* object);

  const MatchedRequest& request() const { return request_; }
  const std::vector<cel::Value>& values() const { return values_; }

 private:
  const MatchedRequest& request_;
  std::vector<cel::Value> values_;
};

// A parameter of a policy as expressions see it; an empty one is null.
cel::Value ParameterValue(const api::Doc& doc, std::string_view api_version, std::string_view kind);

// One run over expressions of a policy. Belongs to one request; throws Decisions::Needed.
class Evaluation {
 public:
  Evaluation(const RequestValues& request, const cel::Value& params,
             const std::vector<CompiledVariable>& variables, bool with_authorizer, int64_t budget);
  ~Evaluation();

  // nullopt: the budget is spent, and nothing more is run.
  struct Result {
    cel::Value value;
    std::string error;  // empty: none
  };
  std::optional<Result> Run(const CompiledExpression& expression);
  int64_t budget() const { return budget_; }

 private:
  class Variables;
  std::vector<cel::Value> values_;
  std::shared_ptr<Variables> variables_;
  int64_t budget_;
};

// Whether match conditions hold; an error says why that is unknown.
base::Result<bool, std::string> ConditionsHold(const std::vector<CompiledExpression>& conditions,
                                               const RequestValues& request, const cel::Value& params,
                                               const std::vector<CompiledVariable>& variables, bool fail);

}  // namespace keelson::admission
