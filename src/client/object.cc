#include "client/object.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "api/codec/protobuf.h"
#include "api/generated/meta_v1.h"
#include "base/log.h"

namespace keelson::client {
namespace {

constexpr uint32_t kMetadata = 1;  // of every stored message
constexpr uint32_t kDeletionTimestamp = 9;

}  // namespace

bool ReadOwnership(const storage::Object& object, api::Ownership& ownership) {
  const auto metadata = api::protobuf::FindBytes(object.message(), {kMetadata});
  if (metadata && api::ReadOwnership(*metadata, ownership)) return true;
  base::Log(base::LogLevel::kError, "stored object has no readable metadata; no controller looks at it",
            {{"key", object.key()}});
  return false;
}

size_t FieldIndex(const api::ResourceDesc& resource, std::string_view name) {
  const auto field = std::ranges::find(resource.selectable_fields, name);
  if (field == resource.selectable_fields.end())
    throw std::logic_error(std::string(resource.plural) + " cannot be selected by " + std::string(name));
  return static_cast<size_t>(field - resource.selectable_fields.begin());
}

int64_t DeletionTime(const storage::Object& object) {
  if (!api::protobuf::FindBytes(object.message(), {kMetadata, kDeletionTimestamp})) return 0;
  const auto metadata = api::protobuf::FindBytes(object.message(), {kMetadata});
  api::Arena arena;
  const auto decoded = api::protobuf::Decode(*metadata, api::meta_v1::ObjectMetaView::Type(), arena);
  return decoded ? api::meta_v1::ObjectMetaView(*decoded).deletion_timestamp() : 0;
}

}  // namespace keelson::client
