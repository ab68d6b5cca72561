// The requirements of a selector that a SubjectAccessReview has words for.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "api/meta/selector_requirement.h"

namespace keelson::auth {

// Each requirement with its operator's name; borrowed. Those that compare by order are left out: without
// them the review asks for more, never for less.
inline std::vector<std::pair<const api::SelectorRequirement*, std::string_view>> ReviewRequirements(
    const api::SelectorRequirements* selector) {
  std::vector<std::pair<const api::SelectorRequirement*, std::string_view>> found;
  if (!selector) return found;
  for (const api::SelectorRequirement& requirement : selector->requirements) {
    switch (requirement.op) {
      case api::SelectorOperator::kIn: found.emplace_back(&requirement, "In"); break;
      case api::SelectorOperator::kNotIn: found.emplace_back(&requirement, "NotIn"); break;
      case api::SelectorOperator::kExists: found.emplace_back(&requirement, "Exists"); break;
      case api::SelectorOperator::kDoesNotExist: found.emplace_back(&requirement, "DoesNotExist"); break;
      case api::SelectorOperator::kGreaterThan:
      case api::SelectorOperator::kLessThan: break;
    }
  }
  return found;
}

}  // namespace keelson::auth
