// ExpressionRules: what is wrong with an expression in an object, for rules that must not
// depend on the language. Strategies hand in the language's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/validation/field.h"

namespace keelson::api {

struct ExpressionProblem {
  enum class Kind : uint8_t { kInvalid, kInternal, kForbidden };
  Kind kind = Kind::kInvalid;
  std::string detail;
};
using MaybeProblem = std::optional<ExpressionProblem>;

// What an expression of a policy is for, which says what it must give.
enum class ExpressionUse : uint8_t {
  kValidation,
  kMessage,
  kAuditAnnotation,
  kApplyConfiguration,
  kJsonPatch
};

// Threads: const calls from any.
class ExpressionRules {
 public:
  virtual ~ExpressionRules() = default;

  // The expressions of one policy, which may use its variables in their order.
  class Policy {
   public:
    virtual ~Policy() = default;
    virtual MaybeProblem AddVariable(std::string_view name, std::string_view expression) = 0;
    virtual MaybeProblem Check(ExpressionUse use, std::string_view expression) const = 0;
  };
  virtual std::unique_ptr<Policy> NewPolicy(bool has_params, bool has_variables) const = 0;
  virtual MaybeProblem MatchCondition(std::string_view expression, bool has_params) const = 0;
  virtual MaybeProblem DeviceSelector(std::string_view expression) const = 0;
};

// Adds a problem, if there is one; `shown` is the expression as the user is told of it.
void AddProblem(const MaybeProblem& problem, std::string_view shown, const field::Path& path,
                field::ErrorList& errors);

}  // namespace keelson::api
