// Semantic versions, "1.2.3-rc.1+build".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/value.h"

namespace keelson::cel {

struct SemanticVersion {
  uint64_t major = 0, minor = 0, patch = 0;
  std::vector<std::string> pre;  // identifiers before the build
  std::string text;

  // The error says what is wrong.
  static base::Result<SemanticVersion, std::string> Parse(std::string_view text);
  // -1, 0, 1; builds do not count.
  int Compare(const SemanticVersion& other) const;
};

Value SemverValue(SemanticVersion version);

}  // namespace keelson::cel
