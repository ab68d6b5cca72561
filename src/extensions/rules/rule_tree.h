// RuleTree: the rules of a schema and of all below it, ready to be evaluated.
//
// Threads: immutable, any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types/doc.h"
#include "api/validation/field.h"
#include "cel/budgets.h"
#include "extensions/rules/rule_compiler.h"
#include "extensions/schema/validate.h"

namespace keelson::extensions {

class RuleTree {
 public:
  // Null: there are no rules. The schema is borrowed.
  static std::unique_ptr<const RuleTree> Compile(const Schema& schema, bool whole,
                                                 Declarations& declarations);

  struct Input {
    const api::Value* now = nullptr;
    const api::Value* was = nullptr;  // null: there was nothing
    std::string_view path;            // where it is; empty: it is the whole object
    // Rules that what did not change breaks as before give warnings (null: nobody reads them), not errors.
    bool ratchets = false;
    std::vector<std::string>* warnings = nullptr;
    int64_t budget = cel::kCostBudget;
  };
  struct Findings {
    api::field::ErrorList errors;
    int64_t budget = 0;  // what is left; negative: nothing more is evaluated
  };
  Findings Check(const Input& input) const;

  // The rules are those of the object itself, not only of its parts.
  bool has_own_rules() const { return !compiled_.rules.empty(); }

 private:
  friend class RuleEvaluation;
  RuleTree(const Schema& schema, bool whole) : schema_(schema), whole_(whole) {}
  void CompileParts(const Declaration* self, Declarations& declarations);
  bool empty() const {
    return compiled_.rules.empty() && error_.empty() && !items_ && !additional_ && properties_.empty();
  }

  const Schema& schema_;
  const bool whole_;
  bool uses_old_self_ = false;  // a rule here
  std::string error_;           // why none of the rules here can be evaluated; empty: they can
  CompiledRules compiled_;
  std::unique_ptr<const RuleTree> items_, additional_;
  std::vector<std::pair<std::string_view, std::unique_ptr<const RuleTree>>> properties_;  // in order of name
};

// Of the rules of a whole schema; null: there are none. The tree is borrowed.
std::unique_ptr<const RuleChecker> CompileRuleChecker(const SchemaTree& tree);

}  // namespace keelson::extensions
