// EventFilter: what one watch is told of an event. A selector can turn a modification into an addition or a
// deletion: with `app=web`, a pod whose label changes from `app=web` to `app=api` is deleted for that watch.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/interface.h"
#include "storage/object_factory.h"
#include "storage/selection.h"

namespace keelson::storage {

// Threads: immutable.
class EventFilter {
 public:
  // `ns`: only this namespace; empty: all.
  EventFilter(std::string ns, Selection selection);

  const std::string& ns() const { return ns_; }
  const Selection& selection() const;
  bool Selects(const Object& object) const {
    return (ns_.empty() || object.ns() == ns_) && (!selection_ || selection_->Matches(object));
  }
  // As what the watch sees `event`; nullopt: it is told nothing.
  std::optional<EventType> Seen(const Event& event) const {
    const bool now = event.type != EventType::kDeleted && Selects(*event.object);
    const bool was = event.previous && Selects(*event.previous);
    if (now) return was ? EventType::kModified : EventType::kAdded;
    if (was) return EventType::kDeleted;
    return std::nullopt;
  }
  // Requires: `type` is what Seen says of it. An object that left the selection is shown as the watch last
  // saw it, at the event's revision.
  static WatchEvent Tell(EventType type, const EventPtr& event, const ObjectFactory& factory) {
    WatchEvent told;
    told.type = type;
    told.revision = event->revision;
    if (type == EventType::kDeleted && event->type != EventType::kDeleted) {
      told.object = factory.AtRevision(*event->previous, event->revision);
    } else {
      told.object = event->object;
      told.shared = event;
    }
    return told;
  }

 private:
  const std::string ns_;
  std::unique_ptr<const Selection> selection_;  // null: everything
};

}  // namespace keelson::storage
