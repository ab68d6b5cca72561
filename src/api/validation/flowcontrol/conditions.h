// Conditions in the status of flow schemas and priority levels: one of each type.
#pragma once

#include <set>
#include <string_view>

#include "api/validation/core/checks.h"

namespace keelson::api::flowcontrol {

// `Conditions`: a list of views with type().
template <class Conditions>
field::ErrorList ValidateConditions(const Conditions& list) {
  field::ErrorList errors;
  const field::Path path("status"), conditions = path.Child("conditions");
  std::set<std::string_view> types;
  size_t i = 0;
  for (const auto condition : list) {
    const field::Path at = conditions.Index(i++), type = at.Child("type");
    if (!types.insert(condition.type()).second)
      errors.Add(field::Duplicate(type, field::RenderValue(condition.type())));
    core::CheckRequired(condition.type(), type, errors);
  }
  return errors;
}

}  // namespace keelson::api::flowcontrol
