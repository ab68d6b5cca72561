// Strategic merge patch: a merge patch that knows the types, so that lists can be merged
// by key and parts of a document be ordered, replaced or deleted by directives.
//
// It changes the typed document in place; only what the patch touches is looked at.
#pragma once

#include <string>
#include <vector>

#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::api {

struct StrategicMergeError {
  enum class Kind : uint8_t {
    kBadRequest,  // the patch is not well formed
    kBadValue,    // the merged document does not fit the type
    kUnknown,     // upstream has no better answer than 500
  };
  Kind kind = Kind::kUnknown;
  std::string message;
};

// Merges `patch`, a kAny tree, into `root`. The patch is used up, and the document keeps
// strings of it. Unknown fields are reported in `unknown`, when it is given, in no order.
// On an error `root` may have been changed in part.
base::Result<void, StrategicMergeError> StrategicMerge(StructNode& root, MapNode& patch, Arena& arena,
                                                       std::vector<std::string>* unknown);

}  // namespace keelson::api
