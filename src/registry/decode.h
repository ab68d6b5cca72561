// From stored bytes to documents, for those who change what they read.
#pragma once

#include "api/types/doc.h"
#include "registry/rest/types.h"

namespace keelson::registry {

// The object as a document with its defaults; a 500 when it does not decode.
rest::Result<api::Doc> DecodeStored(const rest::Object& object, const api::TypeDesc& type);
// The same for what a write has left behind.
rest::Result<api::Doc> DecodeWritten(const rest::Encoded& object, const api::TypeDesc& type);

}  // namespace keelson::registry
