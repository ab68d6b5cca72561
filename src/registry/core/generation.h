// Generation: how many times the wishes of an object (mostly its spec) have changed.
#pragma once

#include <string_view>

#include "api/types/doc.h"

namespace keelson::registry::core {

// A new object of a kind that counts.
void StartGeneration(api::Doc& doc);
// Counts a change of the field `name` (a JSON name, mostly "spec").
void CountGeneration(api::Doc& now, const api::Doc& was, std::string_view name);

}  // namespace keelson::registry::core
