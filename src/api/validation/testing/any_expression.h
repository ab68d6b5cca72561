// Rules that take every expression for right.
#pragma once

#include "api/validation/expressions.h"

namespace keelson::api::testing {

class AnyExpression final : public ExpressionRules {
 public:
  std::unique_ptr<Policy> NewPolicy(bool, bool) const override { return std::make_unique<AnyOfPolicy>(); }
  MaybeProblem MatchCondition(std::string_view, bool) const override { return std::nullopt; }
  MaybeProblem DeviceSelector(std::string_view) const override { return std::nullopt; }

 private:
  class AnyOfPolicy final : public Policy {
    MaybeProblem AddVariable(std::string_view, std::string_view) override { return std::nullopt; }
    MaybeProblem Check(ExpressionUse, std::string_view) const override { return std::nullopt; }
  };
};

}  // namespace keelson::api::testing
