// Writes a resolved model as C++.
#pragma once

#include <string>

#include "model.h"

namespace schemac {

// <stem>.h: the declarations of the file's TypeDescs and their views and editors.
std::string EmitViews(const File& file);
// <stem>.cc: the TypeDesc tables, all constant-initialised.
std::string EmitTables(const File& file);
// builtin.cc: BuiltinResources(), FindType() and FindKind() over all files.
std::string EmitBuiltin(const Model& model);
// descriptions.cc: CompressedDescriptions(), the words of all files that are described.
std::string EmitDescriptions(const Model& model);

}  // namespace schemac
