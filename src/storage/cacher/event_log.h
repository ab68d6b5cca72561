// EventLog: the recent events of one resource. A watcher is a position in it (a sequence
// number): it reads on from there at its own pace and costs the writer nothing.
//
// Events lie in segments. A segment begins with the version of the map its events start
// from, so any revision in the window can be listed by replaying part of one segment; once
// full, it gets a small index of the triggers of its events, so that a narrow watcher
// skips what does not concern it. The oldest segments go when the log is past its bytes or
// its age; one lives on while a view of it is read.
//
// Threads: one writer. Readers use views, which are immutable and published by the owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "storage/cacher/snapshot_map.h"
#include "storage/cacher/trigger.h"
#include "storage/interface.h"

namespace keelson::storage {

struct EventLogOptions {
  size_t max_bytes = size_t{32} << 20;
  std::chrono::seconds max_age{300};
  // A log that is larger than `old_bytes` keeps no events that are older than `fresh_age`: upstream promises
  // no more, and what somebody does ask for is read from the store's history.
  std::chrono::seconds fresh_age{75};
  size_t old_bytes = size_t{512} << 10;
};

namespace internal {

struct Segment : base::RefCounted<Segment> {
  // One event's place under one trigger.
  struct Posting {
    uint32_t trigger;  // upper half of its id
    uint32_t index;
    auto operator<=>(const Posting&) const = default;
  };
  Segment(uint64_t first_event, SnapshotMap map, Revision map_revision, size_t slots)
      : first(first_event), before(std::move(map)), floor(map_revision), events(slots) {}

  const uint64_t first;      // sequence number of events[0]
  const SnapshotMap before;  // the objects before events[0]
  const Revision floor;      // of the newest event before events[0], or of the load
  // Slots fill up in order; a reader looks only at those its view covers.
  std::vector<EventPtr> events;
  std::vector<Posting> postings;  // sorted; set when the next segment starts
  // The writer's own:
  size_t bytes = 0;
  base::Clock::SteadyTime oldest, newest;
};

struct SegmentList : base::RefCounted<SegmentList> {
  std::vector<base::IntrusivePtr<const Segment>> segments;  // never empty
};

}  // namespace internal

// The events of the log as of one moment.
class EventLogView {
 public:
  // The sequence numbers of the events held: [begin, end).
  uint64_t begin() const { return list_->segments.front()->first; }
  uint64_t end() const { return end_; }
  // What it takes, and the time of the oldest event; of an empty log: when it was last started.
  size_t bytes() const { return bytes_; }
  base::Clock::SteadyTime oldest() const { return oldest_; }
  // Every event after this revision is held.
  Revision floor() const { return list_->segments.front()->floor; }

  // Requires: begin() <= seq < end().
  const EventPtr& at(uint64_t seq) const;
  // The first event at or after `seq` that may concern `trigger`; end() when there is none.
  // Requires: begin() <= seq.
  uint64_t NextConcerning(uint64_t seq, TriggerId trigger) const;
  // The first event newer than `revision`; end() when there is none.
  // Requires: floor() <= revision.
  uint64_t FirstAfter(Revision revision) const;
  // The objects as of `revision`. Requires: floor() <= revision.
  SnapshotMap ObjectsAt(Revision revision) const;

 private:
  friend class EventLog;
  const internal::Segment& SegmentOf(uint64_t seq) const;
  // The last segment that starts at or before `revision`.
  size_t SegmentAt(Revision revision) const;
  uint64_t SegmentEnd(size_t i) const;

  base::IntrusivePtr<const internal::SegmentList> list_;
  uint64_t end_ = 0;
  size_t bytes_ = 0;
  base::Clock::SteadyTime oldest_{};
};

class EventLog {
 public:
  // `trigger_fields`: selectable fields by which events can be skipped to.
  EventLog(EventLogOptions options, std::vector<size_t> trigger_fields);

  // Starts again from `objects` at `revision`. Positions of before are never valid again.
  void Reset(SnapshotMap objects, Revision revision);

  // Whether the next event needs a segment of its own first.
  bool NeedsSegment() const;
  // `objects`: the map before the next event.
  void StartSegment(SnapshotMap objects, base::Clock::SteadyTime now);
  // Requires: not NeedsSegment(); the event is not older than any before.
  void Append(EventPtr event, base::Clock::SteadyTime now);
  // Drops what is too old; the newest segment always stays. Whether it dropped something.
  bool Trim(base::Clock::SteadyTime now);
  // The same for a log that nothing is appended to: the newest segment goes, too, once all of it is too old.
  // `objects`: those there are.
  bool ForgetOld(const SnapshotMap& objects, base::Clock::SteadyTime now);
  // Whether ForgetOld would drop something.
  bool HasOld(base::Clock::SteadyTime now) const;
  // What happened before the log, made ready to be a part of it. Any thread.
  class Prefix;
  // `events`: those between `floor` and the view's, oldest first.
  Prefix MakePrefix(const EventLogView& view, std::span<const EventPtr> events, Revision floor,
                    base::Clock::SteadyTime now) const;
  // False: there is no room for it, or the log begins elsewhere than the view that it was made for.
  bool Prepend(Prefix prefix);

  EventLogView View() const;
  const EventLogOptions& options() const { return options_; }
  uint64_t end() const { return end_; }
  size_t bytes() const { return bytes_; }
  std::span<const size_t> trigger_fields() const { return trigger_fields_; }

 private:
  using SegmentPtr = base::IntrusivePtr<internal::Segment>;
  bool TooOld(const internal::Segment& segment, base::Clock::SteadyTime now) const;
  // `count`: of its events.
  void Seal(internal::Segment& segment, uint32_t count) const;
  void PublishList();

  const EventLogOptions options_;
  const std::vector<size_t> trigger_fields_;
  std::vector<SegmentPtr> segments_;
  base::IntrusivePtr<const internal::SegmentList> list_;  // of segments_, as readers see it
  uint64_t end_ = 1;
  Revision newest_ = 0;
  size_t bytes_ = 0;
};

class EventLog::Prefix {
 private:
  friend class EventLog;
  std::vector<SegmentPtr> segments;  // oldest first
  base::IntrusivePtr<const internal::Segment> next;
  size_t bytes = 0;
};

}  // namespace keelson::storage
