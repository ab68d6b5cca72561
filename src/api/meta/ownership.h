// Ownership: what garbage collection must know of an object, read from its encoded metadata
// without decoding the rest.
#pragma once

#include <string_view>
#include <vector>

namespace keelson::api {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

struct OwnerReference {
  std::string_view api_version, kind, name, uid;
  bool blocks_deletion = false;  // the owner may not go before this object
};

// The views point into what it was read from.
struct Ownership {
  std::vector<OwnerReference> owners;
  std::vector<std::string_view> finalizers;
  bool deleting = false;    // has a deletionTimestamp
  bool orphans = false;     // has the finalizer "orphan"
  bool foreground = false;  // has the finalizer "foregroundDeletion"

  // Its dependents must be looked after before it can go.
  bool AwaitsDependents() const { return deleting && (orphans || foreground); }
};

// `metadata` is an ObjectMeta in protobuf form. False: it is malformed.
bool ReadOwnership(std::string_view metadata, Ownership& out);

}  // namespace keelson::api
