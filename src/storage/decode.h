// From stored bytes to documents.
#pragma once

#include <string_view>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/slice.h"
#include "storage/object.h"

namespace keelson::storage {

// The object as a document with its defaults, which shares its bytes; a 500 when it does not decode.
base::Result<api::Doc, api::Status> Decode(const Object& object, const api::TypeDesc& type);
// The same without any value of the field `without`.
base::Result<api::Doc, api::Status> DecodeWithout(const Object& object, const api::TypeDesc& type,
                                                  const api::FieldDesc& without);
// The same for an encoded object that is called `what` in the error.
base::Result<api::Doc, api::Status> Decode(base::Slice bytes, std::string_view what,
                                           const api::TypeDesc& type);

}  // namespace keelson::storage
