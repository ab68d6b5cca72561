#include "registry/decode.h"

#include "storage/decode.h"

namespace keelson::registry {

rest::Result<api::Doc> DecodeStored(const rest::Object& object, const api::TypeDesc& type) {
  return storage::Decode(object, type);
}

rest::Result<api::Doc> DecodeWritten(const rest::Encoded& object, const api::TypeDesc& type) {
  return storage::Decode(object.bytes, "what was written", type);
}

}  // namespace keelson::registry
