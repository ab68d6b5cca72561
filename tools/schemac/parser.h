// Reads one .kschema file. The notation: docs/design/0020-schema-notation.md.
#pragma once

#include <string_view>

#include "model.h"

namespace schemac {

// Adds the file to the model as `stem`; what cannot be understood goes to `diagnostics`
// with its line, and reading goes on.
void Parse(std::string_view stem, std::string_view file_name, std::string_view text, Model& model,
           Diagnostics& diagnostics);

}  // namespace schemac
