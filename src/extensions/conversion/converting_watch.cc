#include "extensions/conversion/converting_watch.h"

#include <utility>

#include "storage/failed_watch.h"

namespace keelson::extensions {

using storage::EventPtr;
using storage::EventType;
using storage::WatchEvent;
using Wanted = ConvertedObjects::Wanted;

struct ConvertingWatch::Batch {
  struct Item {
    WatchEvent event;
    // Null: the event is told as it is.
    EventPtr converted;
    // With a selection by fields: the object before a modification; null: there is none, or it needs no
    // conversion.
    EventPtr before;
  };
  std::vector<Item> items;
  bool with_before = false;
  bool fetching = false;
  std::optional<storage::Error> error;
  std::function<void()> wake;  // empty: the watch is gone
};

namespace {

// What left a selection is shown as it was, at the revision of another.
bool AsBefore(const WatchEvent& event) { return event.type == EventType::kDeleted && !event.shared; }

const storage::ObjectPtr& PreviousOf(const WatchEvent& event) {
  static const storage::ObjectPtr kNone;
  return event.type == EventType::kModified && event.shared ? event.shared->previous : kNone;
}

}  // namespace

ConvertingWatch::ConvertingWatch(std::unique_ptr<storage::WatchStream> below,
                                 std::shared_ptr<ConvertedObjects> objects,
                                 std::optional<storage::Selection> selection)
    : below_(std::move(below)), objects_(std::move(objects)), selection_(std::move(selection)) {}

ConvertingWatch::~ConvertingWatch() {
  if (batch_) batch_->wake = nullptr;
}

void ConvertingWatch::SetWaker(std::function<void()> waker) {
  waker_ = waker;
  below_->SetWaker(std::move(waker));
}

storage::Revision ConvertingWatch::position() const { return batch_ || ended_ ? told_ : below_->position(); }

std::vector<Wanted> ConvertingWatch::Missing(Batch& batch, ConvertedObjects& objects) {
  std::vector<Wanted> missing;
  const auto take = [&](EventPtr& place, const storage::ObjectPtr& object, bool as_before) {
    if (place || !object || objects.IsInVersion(*object)) return;
    Wanted wanted{object, as_before};
    place = objects.Find(wanted);
    if (!place) missing.push_back(std::move(wanted));
  };
  for (Batch::Item& item : batch.items) {
    take(item.converted, item.event.object, AsBefore(item.event));
    if (batch.with_before) take(item.before, PreviousOf(item.event), false);
  }
  return missing;
}

base::Task<void> ConvertingWatch::Fetch(std::shared_ptr<Batch> batch,
                                        std::shared_ptr<ConvertedObjects> objects,
                                        std::vector<Wanted> missing) {
  const auto converted = co_await objects->Convert(std::move(missing), true, nullptr);
  if (converted) {
    // In the order of Missing.
    size_t next = 0;
    const auto put = [&](EventPtr& place, const storage::ObjectPtr& object) {
      if (!place && object && !objects->IsInVersion(*object)) place = (*converted)[next++];
    };
    for (Batch::Item& item : batch->items) {
      put(item.converted, item.event.object);
      if (batch->with_before) put(item.before, PreviousOf(item.event));
    }
  } else {
    batch->error = converted.error();
  }
  batch->fetching = false;
  if (batch->wake) batch->wake();
}

std::optional<WatchEvent> ConvertingWatch::Selected(WatchEvent event, const EventPtr& before) const {
  if (!event.object) return event;
  const bool now = event.type != EventType::kDeleted && selection_->Matches(*event.object);
  if (event.type == EventType::kAdded) return now ? std::optional(std::move(event)) : std::nullopt;
  if (event.type == EventType::kDeleted)
    return selection_->Matches(*event.object) ? std::optional(std::move(event)) : std::nullopt;
  const storage::ObjectPtr previous = before ? before->object : PreviousOf(event);
  const bool was = previous && selection_->Matches(*previous);
  if (!now && !was) return std::nullopt;
  if (now) {
    event.type = was ? EventType::kModified : EventType::kAdded;
    return event;
  }
  event.type = EventType::kDeleted;
  event.shared = nullptr;
  event.object = objects_->AtRevision(*previous, event.revision);
  return event;
}

bool ConvertingWatch::Tell(std::vector<WatchEvent>& out) {
  const std::shared_ptr<Batch> batch = std::exchange(batch_, nullptr);
  if (batch->error) {
    ended_ = true;
    out.push_back(storage::ErrorEvent(*std::move(batch->error)));
    return false;
  }
  for (Batch::Item& item : batch->items) {
    std::optional<WatchEvent> told = std::move(item.event);
    if (item.converted) told->object = item.converted->object;
    if (selection_) told = Selected(*std::move(told), item.before);
    if (!told) continue;
    if (item.converted && told->object == item.converted->object) told->shared = item.converted;
    out.push_back(*std::move(told));
  }
  return true;
}

storage::WatchStream::State ConvertingWatch::Poll(size_t limit, std::vector<WatchEvent>& out) {
  if (ended_) return State::kEnd;
  if (!batch_) {
    if (below_state_ == State::kEnd) return State::kEnd;
    told_ = below_->position();
    std::vector<WatchEvent> events;
    below_state_ = below_->Poll(limit, events);
    if (events.empty()) return below_state_;
    Begin(std::move(events));
  }
  if (batch_->fetching) return State::kSleep;
  if (!Tell(out)) return State::kEnd;
  return below_state_ == State::kEnd ? State::kEnd : State::kMore;
}

void ConvertingWatch::Begin(std::vector<WatchEvent> events) {
  batch_ = std::make_shared<Batch>();
  batch_->with_before = selection_.has_value();
  for (WatchEvent& event : events) batch_->items.push_back({.event = std::move(event)});
  auto missing = Missing(*batch_, *objects_);
  if (missing.empty()) return;
  batch_->fetching = true;
  base::Spawn(Fetch(batch_, objects_, std::move(missing)));
  if (!batch_->fetching) return;  // it needed no wait
  batch_->wake = [this] {
    if (waker_) waker_();
  };
}

}  // namespace keelson::extensions
