// Completes a parsed model and checks that it means something.
#pragma once

#include "model.h"

namespace schemac {

// Adds the list type of every kind that can be listed, points every name at what it
// names (looked up in its own file, then in meta_v1), and reports what does not hold:
// unknown or repeated names, numbers used twice, marks that do not fit their type.
void Resolve(Model& model, Diagnostics& diagnostics);

}  // namespace schemac
