// What strategies do to whole fields.
#pragma once

#include <string_view>

#include "api/types/doc.h"

namespace keelson::registry::core {

// Makes the field `name` (a JSON name) of `now` what it was: how a strategy takes back
// changes that a request may not make. Requires: both are of one type that has the field.
void KeepField(api::Doc& now, const api::Doc& was, std::string_view name);

// A status update leaves alone what others than its writer decide in the metadata.
void KeepMetadataForStatus(api::Doc& now, const api::Doc& was);

// Removes the field `name`, which the type must have.
void ClearField(api::Doc& doc, std::string_view name);

}  // namespace keelson::registry::core
