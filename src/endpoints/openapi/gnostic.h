// The protobuf form of OpenAPI v2 (gnostic's OpenAPIv2.Document), which kubectl before v1.27
// reads for explain and client-side validation.
#pragma once

#include "base/slice.h"
#include "endpoints/openapi/document.h"

namespace keelson::endpoints::openapi {

// Made piece by piece, so that no tree of the whole is ever held.
base::Slice EncodeGnostic(const Document& document);

}  // namespace keelson::endpoints::openapi
