// Sink: where events are kept.
#pragma once

#include <cstdint>
#include <optional>

#include "audit/encoding.h"
#include "audit/event.h"
#include "base/task.h"

namespace keelson::audit {

// Who waits for an event to be kept: nobody; the answer; the answer, and the request before it is served,
// which is refused where the event is lost.
enum class Mode : uint8_t { kBatch, kBlocking, kBlockingStrict };

// An event at one stage, encoded once for all sinks.
class Telling {
 public:
  Telling(Event& event, Stage stage, base::Clock::WallTime when)
      : event_(event), stage_(stage), when_(when) {}

  const Event& event() const { return event_; }
  Stage stage() const { return stage_; }
  const EventText& json() {
    if (!json_) json_ = EncodeJson(event_, stage_, when_, Bodies::kKept);
    return *json_;
  }
  EventText truncated() const { return EncodeJson(event_, stage_, when_, Bodies::kLeftOut); }
  EventText legacy() const { return EncodeLegacy(event_, stage_); }

 private:
  Event& event_;
  const Stage stage_;
  const base::Clock::WallTime when_;
  std::optional<EventText> json_;
};

// Threads: any.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual Mode mode() const = 0;
  // Takes the event over and never blocks. What is returned, if anything, is set once it is known whether the
  // event is kept.
  virtual std::optional<base::Completion<bool>> Take(Telling& telling) = 0;
  // Waits, a while, until what it was given is kept; takes nothing more. One thread at a time.
  virtual void End() = 0;
};

}  // namespace keelson::audit
