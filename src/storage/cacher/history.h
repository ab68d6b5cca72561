// What happened to a resource before its cache was loaded, read from the store's history.
#pragma once

#include <string>
#include <vector>

#include "storage/backend.h"
#include "storage/interface.h"
#include "storage/object_factory.h"

namespace keelson::storage {

// The events after `after` up to `until` of what is below the factory's prefix, oldest first. Blocks: not
// from a loop. kExpired: the store has them no more, or their objects take more than `max_bytes`.
Result<std::vector<EventPtr>> ReadHistory(Backend& backend, const ObjectFactory& factory, Revision after,
                                          Revision until, size_t max_bytes);

}  // namespace keelson::storage
