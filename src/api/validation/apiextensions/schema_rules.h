// SchemaRules: what is wrong with the parts of a schema that say something about values themselves: defaults
// and expressions. Told by those who compile schemas; validation must not depend on them.
#pragma once

#include <memory>
#include <string_view>

#include "api/validation/apiextensions/structural.h"
#include "api/validation/field.h"

namespace keelson::api::apiextensions {

// Threads: const calls from any.
class SchemaRules {
 public:
  virtual ~SchemaRules() = default;

  // One schema, from its root down. Borrows it. Requires: it is structural.
  class Examination {
   public:
    virtual ~Examination() = default;
    // Defaults that the schema itself would refuse. `require_pruned`: nor may they have fields that it does
    // not know.
    virtual field::ErrorList CheckDefaults(bool require_pruned, const field::Path& root) = 0;
    // The rules (x-kubernetes-validations) of one node of the schema. `unrelated`: the part of the schema
    // around it of which nobody can tell what became of which item; empty: there is none.
    virtual field::ErrorList CheckRules(SchemaView node, std::string_view unrelated,
                                        const field::Path& path) = 0;
    // What all rules that were checked cost together.
    virtual field::ErrorList CheckTotalCost(const field::Path& root) = 0;
  };
  // `limit_costs`: a single rule may not be too expensive.
  virtual std::unique_ptr<Examination> Examine(SchemaView schema, bool limit_costs) const = 0;

  // Requires: it is structural.
  virtual bool HasUnprunedDefaults(SchemaView schema) const = 0;
};

}  // namespace keelson::api::apiextensions
