// The pod security policy of a namespace, as its labels say it.
#pragma once

#include <cstdint>
#include <string>

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

  bool FullyPrivileged() const {
    return enforce.level == Level::kPrivileged && audit.level == Level::kPrivileged &&
           warn.level == Level::kPrivileged;
  }
};

// What is wrong with the labels is added to `errors`: a bad level is then enforced as the
// strictest, and neither warned of nor audited.
Policy PolicyOf(api::MapView namespace_labels, api::field::ErrorList& errors);

}  // namespace keelson::admission::pod_security
