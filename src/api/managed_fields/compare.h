// What an update changed, and what an object or configuration consists of, as sets of paths.
#pragma once

#include "api/managed_fields/field_set.h"
#include "api/managed_fields/type_use.h"
#include "api/types/doc.h"

namespace keelson::api::managed_fields {

// No path is in more than one of the three.
struct Comparison {
  const FieldSet* removed = nullptr;
  const FieldSet* modified = nullptr;
  const FieldSet* added = nullptr;

  bool same() const { return !removed && !modified && !added; }
};

// What changed from `was` to `now`, two objects of one root type. `was` may be null: an
// object that was just created. Kind, apiVersion and the members of metadata that no
// manager owns are left out. `touched`: members at the root that it does not have are known to be
// the same.
Comparison CompareObjects(const StructNode* was, const StructNode& now, Arena& arena,
                          const StructNode* touched = nullptr);

// The leaves of `root` and every element of its lists and maps.
const FieldSet* ToFieldSet(const StructNode& root, Presence presence, Arena& arena);
// The same with the fields on the way there: WithNamedFields() of it, in one walk.
const FieldSet* ToNamedFieldSet(const StructNode& root, Presence presence, Arena& arena);
// The same with all that holds them, empty lists included.
const FieldSet* AllOf(const StructNode& root, Presence presence, Arena& arena);
// The parts of a configuration that are owned as a whole and hold something, however deep, that JSON would
// not show of an object: zeros, null.
const FieldSet* WholesThatHide(const StructNode& config, Arena& arena);

}  // namespace keelson::api::managed_fields
