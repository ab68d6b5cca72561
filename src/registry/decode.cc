#include "registry/decode.h"

#include "api/codec/protobuf.h"
#include "api/defaulting/defaulting.h"
#include "api/types/custom_type.h"

namespace keelson::registry {
namespace {

rest::Result<api::Doc> Decode(base::Slice bytes, std::string_view what, const api::TypeDesc& type) {
  auto doc = api::protobuf::DecodeObject(std::move(bytes), type);
  if (!doc)
    return base::Err(
        api::InternalError("unable to decode " + std::string(what) + ": " + doc.error().message));
  // Custom objects have theirs in memory already.
  if (!api::IsOpen(type)) api::SetDefaults(*doc);
  return *std::move(doc);
}

}  // namespace

rest::Result<api::Doc> DecodeStored(const rest::Object& object, const api::TypeDesc& type) {
  return Decode(base::Slice::Share(object.bytes(), rest::ObjectPtr(&object)), object.key(), type);
}

rest::Result<api::Doc> DecodeWritten(const rest::Encoded& object, const api::TypeDesc& type) {
  return Decode(object.bytes, "what was written", type);
}

}  // namespace keelson::registry
