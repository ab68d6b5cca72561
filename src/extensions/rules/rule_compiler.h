// Rules of one node of a schema, compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cel/program.h"
#include "extensions/rules/declarations.h"

namespace keelson::extensions {

// Places of the variables in programs.
enum RuleVariable : size_t { kSelf, kOldSelf, kRuleVariables };

struct CompiledRule {
  const Rule* rule = nullptr;
  std::optional<cel::Program> program;  // nothing: it is wrong, or empty
  std::string error;                    // why it is wrong; empty: it is not
  std::optional<cel::Program> message;  // nothing: there is none, or it is wrong
  std::string message_error;
  bool uses_old_self = false;
  // By estimate, where asked for.
  uint64_t max_cost = 0, message_max_cost = 0;
};

struct CompiledRules {
  std::vector<CompiledRule> rules;  // in the order of the schema
  // What programs refer to.
  std::unique_ptr<const SelfTypes> types;
};

// `self` is borrowed for the call, the schema as long as the result lives.
CompiledRules CompileRules(const Schema& schema, const Declaration& self, bool estimate);

}  // namespace keelson::extensions
