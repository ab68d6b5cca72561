// What the strategies of this group have in common: a generation that counts what changed,
// and names that are kept for configuration from files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"

namespace keelson::registry::admissionregistration {

void StartGeneration(api::Doc& doc);
// One more when the field (a JSON name) is not what it was.
void CountGeneration(api::Doc& now, const api::Doc& was, std::string_view field);

std::vector<std::string> ReservedNameWarnings(const api::Doc& doc);

}  // namespace keelson::registry::admissionregistration
