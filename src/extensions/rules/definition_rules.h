// What is wrong with the defaults and rules of a schema when a definition is written.
#pragma once

#include "api/validation/apiextensions/schema_rules.h"

namespace keelson::extensions {

const api::apiextensions::SchemaRules& DefinitionRules();

}  // namespace keelson::extensions
