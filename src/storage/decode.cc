#include "storage/decode.h"

#include "api/codec/protobuf.h"
#include "api/defaulting/defaulting.h"
#include "api/types/custom_type.h"

namespace keelson::storage {
namespace {

// A custom object that is kept in the version it was written in is of the type of that version.
const api::TypeDesc& OwnType(std::string_view bytes, const api::TypeDesc& type) {
  if (!api::ConverterOf(type)) return type;
  const auto envelope = api::protobuf::ParseEnvelope(bytes);
  const api::TypeDesc* const own = envelope ? api::CustomOf(type)->TypeIn(envelope->api_version) : nullptr;
  return own ? *own : type;
}

base::Result<api::Doc, api::Status> DecodeBytes(base::Slice bytes, std::string_view what,
                                                const api::TypeDesc& type, const api::FieldDesc* without) {
  const api::TypeDesc& own = OwnType(bytes.view(), type);
  auto doc = api::protobuf::DecodeObject(std::move(bytes), own, without);
  if (!doc)
    return base::Err(
        api::InternalError("unable to decode " + std::string(what) + ": " + doc.error().message));
  // Custom objects have theirs in memory already.
  if (!api::IsOpen(type)) api::SetDefaults(*doc);
  return *std::move(doc);
}

base::Slice BytesOf(const Object& object) { return base::Slice::Share(object.bytes(), ObjectPtr(&object)); }

}  // namespace

base::Result<api::Doc, api::Status> Decode(base::Slice bytes, std::string_view what,
                                           const api::TypeDesc& type) {
  return DecodeBytes(std::move(bytes), what, type, nullptr);
}

base::Result<api::Doc, api::Status> Decode(const Object& object, const api::TypeDesc& type) {
  return DecodeBytes(BytesOf(object), object.key(), type, nullptr);
}

base::Result<api::Doc, api::Status> DecodeWithout(const Object& object, const api::TypeDesc& type,
                                                  const api::FieldDesc& without) {
  return DecodeBytes(BytesOf(object), object.key(), type, &without);
}

}  // namespace keelson::storage
