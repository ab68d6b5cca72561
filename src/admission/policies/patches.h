// What expressions of mutating policies give, laid over an object.
#pragma once

#include <string>

#include "admission/policies/matching.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "cel/value.h"

namespace keelson::admission {

// `patch` is an Object{…}: what it gives is merged into `object`, as server-side apply merges. That takes a
// schema, which not every kind has.
base::Result<void, std::string> ApplyConfiguration(const cel::Value& patch, const MatchedRequest& request,
                                                   api::Doc& object);
// `patch` is a list of JSONPatch{…}. A test that fails leaves the object as it was.
base::Result<void, std::string> ApplyPatch(const cel::Value& patch, api::Doc& object);

}  // namespace keelson::admission
