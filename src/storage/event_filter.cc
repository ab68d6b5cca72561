#include "storage/event_filter.h"

#include <utility>

namespace keelson::storage {

EventFilter::EventFilter(std::string ns, Selection selection) : ns_(std::move(ns)) {
  if (!selection.everything()) selection_ = std::make_unique<const Selection>(std::move(selection));
}

const Selection& EventFilter::selection() const {
  static const Selection kEverything;
  return selection_ ? *selection_ : kEverything;
}

std::optional<EventType> EventFilter::Seen(const Event& event) const {
  const bool now = event.type != EventType::kDeleted && Selects(*event.object);
  const bool was = event.previous && Selects(*event.previous);
  if (now) return was ? EventType::kModified : EventType::kAdded;
  if (was) return EventType::kDeleted;
  return std::nullopt;
}

WatchEvent EventFilter::Tell(EventType type, const EventPtr& event, const ObjectFactory& factory) {
  WatchEvent told;
  told.type = type;
  told.revision = event->revision;
  if (type == EventType::kDeleted && event->type != EventType::kDeleted) {
    told.object = factory.AtRevision(*event->previous, event->revision);
    return told;
  }
  told.object = event->object;
  told.shared = event;
  return told;
}

}  // namespace keelson::storage
