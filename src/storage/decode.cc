#include "storage/decode.h"

#include "api/codec/protobuf.h"
#include "api/defaulting/defaulting.h"
#include "api/types/custom_type.h"

namespace keelson::storage {

base::Result<api::Doc, api::Status> Decode(base::Slice bytes, std::string_view what,
                                           const api::TypeDesc& type) {
  auto doc = api::protobuf::DecodeObject(std::move(bytes), type);
  if (!doc)
    return base::Err(
        api::InternalError("unable to decode " + std::string(what) + ": " + doc.error().message));
  // Custom objects have theirs in memory already.
  if (!api::IsOpen(type)) api::SetDefaults(*doc);
  return *std::move(doc);
}

base::Result<api::Doc, api::Status> Decode(const Object& object, const api::TypeDesc& type) {
  return Decode(base::Slice::Share(object.bytes(), ObjectPtr(&object)), object.key(), type);
}

}  // namespace keelson::storage
