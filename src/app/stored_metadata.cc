#include "app/stored_metadata.h"

#include "api/codec/protobuf.h"
#include "base/log.h"

namespace keelson::app {

bool ReadStoredOwnership(const registry::rest::Object& object, api::Ownership& ownership) {
  constexpr uint32_t kMetadata = 1;  // of every stored message
  const auto metadata = api::protobuf::FindBytes(object.message(), {kMetadata});
  if (metadata && api::ReadOwnership(*metadata, ownership)) return true;
  base::Log(base::LogLevel::kError, "stored object has no readable metadata; no controller looks at it",
            {{"key", object.key()}});
  return false;
}

}  // namespace keelson::app
