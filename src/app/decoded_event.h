// DecodedEvent: the object of an event as a document.
#pragma once

#include <optional>

#include "base/log.h"
#include "registry/decode.h"

namespace keelson::app {

// nullopt: it is gone, or cannot be read, which is logged and counts as gone.
inline std::optional<api::Doc> DecodedEvent(const registry::rest::WatchEvent& event,
                                            const api::TypeDesc& type) {
  if (event.type == registry::rest::EventType::kDeleted) return std::nullopt;
  auto doc = registry::DecodeStored(*event.object, type);
  if (doc) return *std::move(doc);
  base::Log(
      base::LogLevel::kError, "an object cannot be read and allows nobody anything",
      {{"namespace", event.object->ns()}, {"name", event.object->name()}, {"why", doc.error().message}});
  return std::nullopt;
}

}  // namespace keelson::app
