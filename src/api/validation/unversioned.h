// Structs in messages as upstream holds them, in its own unversioned form.
#pragma once

#include <string>

#include "api/types/doc.h"

namespace keelson::api::field {

// Members have Go's names, and those that are empty are there, too.
std::string RenderUnversioned(const StructNode* node);

}  // namespace keelson::api::field
