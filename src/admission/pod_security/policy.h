// The pod security policy of a namespace, as its labels say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/view.h"
#include "api/validation/field.h"

namespace keelson::admission::pod_security {

enum class Level : uint8_t { kPrivileged, kBaseline, kRestricted };  // from lax to strict

// A level as some release defined it.
struct LevelVersion {
  static constexpr int kLatest = -1;

  Level level = Level::kPrivileged;
  int minor = kLatest;  // of Kubernetes 1.x

  std::string ToString() const;  // "restricted:latest", "baseline:v1.24"
  bool operator==(const LevelVersion&) const = default;
};

struct Policy {
  LevelVersion enforce, audit, warn;

  // Has the same effect. The version of the privileged level has none.
  bool Equivalent(const Policy& other) const {
    const auto same = [](const LevelVersion& a, const LevelVersion& b) {
      return a.level == b.level && (a.level == Level::kPrivileged || a.minor == b.minor);
    };
    return same(enforce, other.enforce) && same(audit, other.audit) && same(warn, other.warn);
  }
  bool FullyPrivileged() const {
    return enforce.level == Level::kPrivileged && audit.level == Level::kPrivileged &&
           warn.level == Level::kPrivileged;
  }
};

// The names of levels, and "latest" or "v1.24". Nullopt: it is none, and what is expected instead.
std::optional<Level> ParseLevel(std::string_view text);
inline constexpr std::string_view kLevelsExpected = "must be one of privileged, baseline, restricted";
std::optional<int> ParseVersion(std::string_view text);
inline constexpr std::string_view kVersionExpected = "must be \"latest\" or \"v1.x\"";

// Whether the labels set the level or the version of a mode ("enforce").
bool Sets(api::MapView namespace_labels, std::string_view mode);

// `defaults` holds for the modes that the labels do not set. What is wrong with the labels is added to
// `errors`: a bad level is then enforced as the strictest, and neither warned of nor audited.
Policy PolicyOf(api::MapView namespace_labels, const Policy& defaults, api::field::ErrorList& errors);

}  // namespace keelson::admission::pod_security
