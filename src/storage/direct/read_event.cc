#include "storage/direct/read_event.h"

#include <utility>

namespace keelson::storage {
namespace {

Result<ObjectPtr> ReadBefore(Backend& backend, const ObjectFactory& factory, const Change& change) {
  const bool created = change.type == Write::Type::kPut && change.create_revision == change.revision;
  if (created) return ObjectPtr();
  auto stored = TRY(backend.Get(change.key, change.revision - 1));
  if (!stored) return ObjectPtr();
  return factory.Make(stored->key, stored->value.view(), stored->create_revision, stored->mod_revision,
                      stored->seal);
}

}  // namespace

Result<EventPtr> ReadEvent(Backend& backend, const ObjectFactory& factory, const Change& change,
                           std::optional<ObjectPtr> previous) {
  if (!previous) previous = TRY(ReadBefore(backend, factory, change));
  auto* event = new Event();
  EventPtr holder(event);
  event->revision = change.revision;
  event->previous = std::move(*previous);
  if (change.type == Write::Type::kDelete) {
    if (!event->previous) return EventPtr();
    event->type = EventType::kDeleted;
    event->object = factory.AtRevision(*event->previous, change.revision);
    return holder;
  }
  event->type = event->previous ? EventType::kModified : EventType::kAdded;
  event->object = TRY(
      factory.Make(change.key, change.value.view(), change.create_revision, change.revision, change.seal));
  return holder;
}

}  // namespace keelson::storage
