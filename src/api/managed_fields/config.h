// A configuration to apply: what a client wrote, by the type it is of. It holds explicitly
// what was given (Presence::kExplicit): zero values, and null as such.
#pragma once

#include <string>

#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::api::managed_fields {

struct ConfigError {
  std::string message;
  bool conversion = false;  // fits the schema, but a value cannot be read
};

struct Config {
  StructNode* root = nullptr;
  // Gives values that JSON does not show in an object: zeros, null.
  bool hides = false;
};

// `tree` as a struct of `type`, in `arena`, which must hold the tree's strings as well.
// The error lists every violation of the schema.
base::Result<Config, ConfigError> ReadConfig(const Value& tree, const TypeDesc& type, Arena& arena);

}  // namespace keelson::api::managed_fields
