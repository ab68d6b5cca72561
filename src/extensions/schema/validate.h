// Validation of objects against a schema, with upstream's errors in upstream's words.
#pragma once

#include <string>
#include <vector>

#include "api/types/doc.h"
#include "api/validation/field.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// What is wrong with `value`. Mistakes in parts that are as they were in `old` (null: there was nothing) do
// not count: they were let in before. `path`: where the value is, for the fields of the errors but, as
// upstream has it, not for their words; empty: it is the whole object.
api::field::ErrorList ValidateValue(const api::Value& value, const Schema& schema, std::string_view path,
                                    const api::Value* old);

// A custom object as one tree, metadata and all, in `arena`. What is in the metadata is there only if the
// schema looks at it.
api::Value WholeTree(const api::StructNode& root, const Schema& schema, api::Arena& arena);

// Evaluates the rules of a schema (x-kubernetes-validations). Objects are checked against the schema before.
//
// Threads: immutable, any.
class RuleChecker {
 public:
  virtual ~RuleChecker() = default;
  // `was`: null on create. What did not change may break rules, which goes to `warnings`, if given.
  virtual api::field::ErrorList Check(const api::StructNode& now, const api::StructNode* was,
                                      std::vector<std::string>* warnings) const = 0;
};

}  // namespace keelson::extensions
