// Rules of the schemas in custom resource definitions.
#pragma once

#include <functional>

#include "api/validation/apiextensions/schema_rules.h"
#include "api/validation/apiextensions/structural.h"

namespace keelson::api::apiextensions {

// What an update need not keep to, since the object broke it before.
struct SchemaOptions {
  bool require_known_types = true;
  bool require_atomic_sets = true;
  bool require_good_list_keys = true;
  bool require_structural = true;
  bool require_pruned_defaults = true;
  bool limit_rule_costs = true;
  const SchemaRules* rules = nullptr;  // null: defaults and what rules say are not checked
};

// `status_apart`: the status subresource is on, for which the root's schema must leave room.
field::ErrorList ValidateSchema(SchemaView schema, bool status_apart, const SchemaOptions& options,
                                const field::Path& path);

// Whether `holds` is true of `schema` or of one inside of it.
bool AnySchema(SchemaView schema, const std::function<bool(SchemaView)>& holds);

// The mistakes that SchemaOptions can let pass.
bool HasUnknownType(SchemaView schema);
bool HasNonAtomicSet(SchemaView schema);
bool HasBadListKeys(SchemaView schema);
bool IsNonStructural(SchemaView schema);

}  // namespace keelson::api::apiextensions
