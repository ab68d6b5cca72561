// JSON patches that policies and webhooks make, applied to a document.
#pragma once

#include <string>
#include <string_view>

#include "api/patch/json_patch.h"
#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::admission {

struct PatchError {
  bool applied = false;  // the patch does apply, but what it makes is no object of the type
  std::string message;   // in upstream's words
};

// The document whose JSON is `json` after the patch, with its defaults. `arena` is the patch's.
base::Result<api::Doc, PatchError> ApplyJsonPatch(const api::JsonPatch& patch, std::string_view json,
                                                  const api::TypeDesc& type, api::Arena& arena);

}  // namespace keelson::admission
