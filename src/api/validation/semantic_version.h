// Versions as semver.org 2.0.0 has them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace keelson::api {

// Borrows the text that it was read from.
struct SemanticVersion {
  uint64_t major = 0, minor = 0, patch = 0;
  std::string_view prerelease;  // without its dash
  // What is built from one version has its precedence: the metadata behind a plus does not count.
  std::strong_ordering operator<=>(const SemanticVersion& other) const;
  bool operator==(const SemanticVersion& other) const { return (*this <=> other) == 0; }
};

// Whether it has the form of one; its numbers may be of any size.
bool IsSemanticVersion(std::string_view text);
// nullopt: it has not, or its numbers are too large.
std::optional<SemanticVersion> ParseSemanticVersion(std::string_view text);

}  // namespace keelson::api
