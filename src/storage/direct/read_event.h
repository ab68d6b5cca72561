// ReadEvent: a change as an event, with the object before it read from the store's history.
#pragma once

#include <optional>

#include "storage/backend.h"
#include "storage/interface.h"
#include "storage/object_factory.h"

namespace keelson::storage {

// `previous`: the object before the change, null when there was none; nullopt: it is not known, and is read.
// Null: nothing was deleted. Blocks. kCorrupt: the change, or what was before, does not decode; kExpired:
// what was before is compacted.
Result<EventPtr> ReadEvent(Backend& backend, const ObjectFactory& factory, const Change& change,
                           std::optional<ObjectPtr> previous);

}  // namespace keelson::storage
