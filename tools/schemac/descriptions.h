// Reads schema/descriptions/<schema>.txt, the words in which types and fields are described to people, and
// puts them into the model. The notation: docs/design/0024-descriptions.md.
#pragma once

#include <string_view>

#include "model.h"

namespace schemac {

// What a text has at most.
inline constexpr size_t kMaxDescriptionCharacters = 400, kMaxDescriptionColumns = 120;

// A schema without a file of words: nothing is said of its types, or it is refused.
enum class Undescribed { kAllowed, kRefused };

// Adds the words of the schema `stem` to the model; what cannot be understood goes to `diagnostics` with its
// line, and reading goes on.
void ParseDescriptions(std::string_view stem, std::string_view file_name, std::string_view text, Model& model,
                       Diagnostics& diagnostics);

// Gives every type and field of the schemas that have words its own, and reports what lacks some, what is
// described and does not exist, and fields of one type that read the same. Requires: Resolve() was called.
void Describe(Model& model, Undescribed undescribed, Diagnostics& diagnostics);

}  // namespace schemac
