// One line of a group's table of defaults.
#pragma once

#include <span>

#include "api/types/doc.h"

namespace keelson::api {

// `set_defaults` is called for documents of exactly this type, after the constants of the
// schema are filled in. Idempotent.
struct DefaultsEntry {
  const TypeDesc* type;
  void (*set_defaults)(Doc&);
};

}  // namespace keelson::api
