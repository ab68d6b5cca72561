// Structs in messages as upstream holds them: in its own unversioned form, whose members have
// Go's names, whose order differs here and there, and which shows what is empty, too.
#pragma once

#include <string>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api::field {

// As one line of JSON; null when there is no node. Types shared by all groups (metav1) appear
// as their JSON.
std::string RenderUnversioned(const StructNode* node);
// The same for one field (its JSON name). Requires: the type has such a field.
std::string RenderUnversionedField(const StructNode* node, std::string_view member);

// How two structs differ: a unified diff of their forms, one member per line, with three lines
// of context. A null node reads as an empty struct. Requires: both are of one type, one is there.
std::string UnversionedDifference(const StructNode* was, const StructNode* now);
// The same for two lists of structs.
std::string UnversionedDifference(std::span<const StructNode* const> was,
                                  std::span<const StructNode* const> now);

}  // namespace keelson::api::field
