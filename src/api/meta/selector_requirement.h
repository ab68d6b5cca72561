// SelectorRequirement: one term of a label or field selector, as authorization and access reviews see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace keelson::api {

enum class SelectorOperator : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

// `a=b` is kIn with one value, `a!=b` kNotIn. Fields know no other operators.
struct SelectorRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;  // those of a selector in text are sorted, each once

  bool operator==(const SelectorRequirement&) const = default;
};

// What could be read of a selector. All requirements must hold, so leaving one out asks for more, never for
// less.
struct SelectorRequirements {
  std::vector<SelectorRequirement> requirements;
  std::string error;  // of what could not be read; empty: all could
};

}  // namespace keelson::api
