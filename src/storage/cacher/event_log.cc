#include "storage/cacher/event_log.h"

#include <algorithm>

namespace keelson::storage {
namespace {

using internal::Segment;
using internal::SegmentList;

// Idle resources keep a small segment; busy ones grow to the full size.
constexpr size_t kFirstSlots = 32;
constexpr size_t kMaxSlots = 256;
// A segment also ends once it holds this part of the log's budget: what is dropped at
// once stays small when objects are large.
constexpr size_t kSegmentsPerBudget = 16;
// What an event takes besides objects: itself, its slot and postings, and its share in the
// tree nodes that the segments' maps do not have in common.
constexpr size_t kEventBytes = sizeof(Event) + 700;

// Numbers left free before the first event: for what is added in front, so that a position of before a Reset
// is never one of those.
constexpr uint64_t kRoomInFront = uint64_t{1} << 32;

uint32_t Half(TriggerId trigger) { return static_cast<uint32_t>(trigger >> 32); }

// Objects that nothing but the log keeps alive.
size_t BytesOf(const Event& event) {
  size_t bytes = kEventBytes;
  if (event.previous) bytes += event.previous->memory_bytes();
  if (event.type == EventType::kDeleted) bytes += event.object->memory_bytes();
  return bytes;
}

}  // namespace

const Segment& EventLogView::SegmentOf(uint64_t seq) const {
  const auto& segments = list_->segments;
  if (seq >= segments.back()->first) return *segments.back();
  auto next = std::ranges::upper_bound(segments, seq, {}, [](const auto& s) { return s->first; });
  return **std::prev(next);
}

size_t EventLogView::SegmentAt(Revision revision) const {
  auto next = std::ranges::upper_bound(list_->segments, revision, {}, [](const auto& s) { return s->floor; });
  return static_cast<size_t>(next - list_->segments.begin()) - 1;
}

uint64_t EventLogView::SegmentEnd(size_t i) const {
  return i + 1 < list_->segments.size() ? list_->segments[i + 1]->first : end_;
}

const EventPtr& EventLogView::at(uint64_t seq) const {
  const Segment& segment = SegmentOf(seq);
  return segment.events[seq - segment.first];
}

uint64_t EventLogView::NextConcerning(uint64_t seq, TriggerId trigger) const {
  if (trigger == kEveryEvent || seq >= end_) return std::min(seq, end_);
  const auto& segments = list_->segments;
  auto it = std::ranges::upper_bound(segments, seq, {}, [](const auto& s) { return s->first; });
  for (auto i = static_cast<size_t>(it - segments.begin()) - 1; i + 1 < segments.size(); ++i) {
    const Segment& segment = *segments[i];
    const Segment::Posting wanted{Half(trigger),
                                  static_cast<uint32_t>(std::max(seq, segment.first) - segment.first)};
    auto found = std::ranges::lower_bound(segment.postings, wanted);
    if (found != segment.postings.end() && found->trigger == wanted.trigger)
      return segment.first + found->index;
  }
  // The newest segment has no index yet and is read event by event.
  return std::min(std::max(seq, segments.back()->first), end_);
}

uint64_t EventLogView::FirstAfter(Revision revision) const {
  const size_t i = SegmentAt(revision);
  const Segment& segment = *list_->segments[i];
  uint64_t low = segment.first;
  uint64_t high = SegmentEnd(i);
  while (low < high) {
    const uint64_t mid = (low + high) / 2;
    if (segment.events[mid - segment.first]->revision <= revision)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

SnapshotMap EventLogView::ObjectsAt(Revision revision) const {
  const Segment& segment = *list_->segments[SegmentAt(revision)];
  SnapshotMapEditor editor(segment.before);
  const uint64_t until = FirstAfter(revision);
  for (uint64_t seq = segment.first; seq < until; ++seq) {
    const Event& event = *segment.events[seq - segment.first];
    if (event.type == EventType::kDeleted)
      editor.Erase(editor.current().PositionOf(*event.object));
    else
      editor.Put(event.object);
  }
  return editor.Snapshot();
}

EventLog::EventLog(EventLogOptions options, std::vector<size_t> trigger_fields)
    : options_(options), trigger_fields_(std::move(trigger_fields)) {
  Reset(SnapshotMap(), 0);
}

void EventLog::Reset(SnapshotMap objects, Revision revision) {
  segments_.clear();
  bytes_ = 0;
  newest_ = revision;
  end_ += kRoomInFront;  // a cursor at the old end is before any begin there will be
  segments_.emplace_back(new Segment(end_, std::move(objects), revision, kFirstSlots));
  PublishList();
}

bool EventLog::NeedsSegment() const {
  const Segment& open = *segments_.back();
  return end_ - open.first == open.events.size() || open.bytes > options_.max_bytes / kSegmentsPerBudget;
}

void EventLog::StartSegment(SnapshotMap objects, base::Clock::SteadyTime now) {
  Segment& last = *segments_.back();
  Seal(last, static_cast<uint32_t>(end_ - last.first));
  const size_t slots = std::min(last.events.size() * 2, kMaxSlots);
  segments_.emplace_back(new Segment(end_, std::move(objects), newest_, slots));
  segments_.back()->oldest = segments_.back()->newest = now;
  PublishList();
}

void EventLog::Seal(Segment& segment, uint32_t count) const {
  segment.postings.reserve(count * (2 + 2 * trigger_fields_.size()));
  for (uint32_t i = 0; i < count; ++i)
    ForEachTrigger(*segment.events[i], trigger_fields_,
                   [&](TriggerId trigger) { segment.postings.push_back({Half(trigger), i}); });
  std::ranges::sort(segment.postings);
  segment.postings.shrink_to_fit();
}

void EventLog::Append(EventPtr event, base::Clock::SteadyTime now) {
  Segment& open = *segments_.back();
  const size_t bytes = BytesOf(*event);
  newest_ = event->revision;
  open.events[end_ - open.first] = std::move(event);
  if (open.bytes == 0) open.oldest = now;
  open.bytes += bytes;
  open.newest = now;
  bytes_ += bytes;
  ++end_;
}

bool EventLog::TooOld(const Segment& segment, base::Clock::SteadyTime now) const {
  const auto age =
      bytes_ > options_.old_bytes ? std::min(options_.fresh_age, options_.max_age) : options_.max_age;
  return segment.newest + age < now;
}

bool EventLog::HasOld(base::Clock::SteadyTime now) const {
  const Segment& oldest = *segments_.front();
  return (segments_.size() > 1 || oldest.bytes > 0) && TooOld(oldest, now);
}

bool EventLog::ForgetOld(const SnapshotMap& objects, base::Clock::SteadyTime now) {
  const Segment& open = *segments_.back();
  if (open.bytes > 0 && TooOld(open, now)) StartSegment(objects, now);
  return Trim(now);
}

bool EventLog::Trim(base::Clock::SteadyTime now) {
  size_t drop = 0;
  while (drop + 1 < segments_.size() && (bytes_ > options_.max_bytes || TooOld(*segments_[drop], now)))
    bytes_ -= segments_[drop++]->bytes;
  if (drop == 0) return false;
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<ptrdiff_t>(drop));
  PublishList();
  return true;
}

// From the newest to the oldest: what was before a segment is what is now without its events.
EventLog::Prefix EventLog::MakePrefix(const EventLogView& view, std::span<const EventPtr> events,
                                      Revision floor, base::Clock::SteadyTime now) const {
  Prefix prefix;
  prefix.next = view.list_->segments.front();
  SnapshotMapEditor objects(prefix.next->before);
  uint64_t first = prefix.next->first;
  while (!events.empty()) {
    const size_t count = std::min(events.size(), kMaxSlots);
    const auto part = events.last(count);
    events = events.first(events.size() - count);
    for (size_t i = count; i-- > 0;) {
      if (part[i]->previous)
        objects.Put(part[i]->previous);
      else
        objects.Erase(objects.current().PositionOf(*part[i]->object));
    }
    first -= count;
    SegmentPtr segment(
        new Segment(first, objects.Snapshot(), events.empty() ? floor : events.back()->revision, count));
    for (size_t i = 0; i < count; ++i) {
      segment->events[i] = part[i];
      segment->bytes += BytesOf(*part[i]);
    }
    segment->oldest = segment->newest = now;
    Seal(*segment, static_cast<uint32_t>(count));
    prefix.bytes += segment->bytes;
    prefix.segments.push_back(std::move(segment));
  }
  std::ranges::reverse(prefix.segments);
  return prefix;
}

bool EventLog::Prepend(Prefix prefix) {
  if (segments_.front() != prefix.next || bytes_ + prefix.bytes > options_.max_bytes) return false;
  segments_.insert(segments_.begin(), prefix.segments.begin(), prefix.segments.end());
  bytes_ += prefix.bytes;
  PublishList();
  return true;
}

void EventLog::PublishList() {
  auto* list = new SegmentList();
  base::IntrusivePtr<const SegmentList> holder(list);
  list->segments.assign(segments_.begin(), segments_.end());
  list_ = std::move(holder);
}

EventLogView EventLog::View() const {
  EventLogView view;
  view.list_ = list_;
  view.end_ = end_;
  view.bytes_ = bytes_;
  view.oldest_ = segments_.front()->oldest;
  return view;
}

}  // namespace keelson::storage
