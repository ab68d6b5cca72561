// Events about objects, and EventRecorder, which writes them in the background.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::client {

// The object that an event is about.
struct EventSubject {
  const api::ResourceDesc& desc;
  std::string_view ns, name, uid;
};
struct EventText {
  std::string_view type;  // "Warning" or "Normal"
  std::string_view reason, message;
  std::string_view component;  // who reports it
};
// The namespace that events about objects of `ns` are in: those of cluster-scoped objects are in `default`.
std::string EventNamespace(std::string_view ns);
// An Event that happened once, now, under a name of its own.
api::Doc MakeEvent(const EventSubject& subject, const EventText& text,
                   base::Clock::WallTime now = base::Clock::Real().Now());

// Something that happened to an object, to be told by an event.
struct Occurrence {
  std::string group, plural, ns, name;  // of the object
  bool warning = true;
  std::string reason, message;
};

// What happens again raises the count of the event that tells of it. Nothing is written about the same thing
// more often than every kPause, and no more than kMostKinds things are remembered at a time: what comes
// beyond that is lost. An event that cannot be written is logged, and not tried again.
//
// Threads: any.
class EventRecorder {
 public:
  static constexpr std::chrono::seconds kPause{10};
  static constexpr size_t kMostKinds = 256;

  // Writes on `loop`, as the user of `objects`. Borrows both and `clock`; the loop does not run this any more
  // when it goes.
  EventRecorder(const Client& objects, base::Executor& loop, std::string component,
                const base::Clock& clock = base::Clock::Real());

  // Returns at once.
  void Record(Occurrence occurrence);

 private:
  // All occurrences of one thing.
  struct Kind {
    Occurrence what;
    std::string event;       // the name of that which tells of it; empty: none yet
    int32_t untold = 0;      // occurrences that no event counts yet
    bool scheduled = false;  // somebody is about to write
    base::Clock::WallTime last;
    base::Clock::SteadyTime next_write;
  };

  // Requires: the kind is known and scheduled.
  void Schedule(const std::string& key, std::chrono::nanoseconds delay);
  base::Task<void> Write(std::string key);
  // Gives the name of the event; empty: there is none.
  base::Task<std::string> Tell(Kind kind) const;
  void Forget() REQUIRES_LOCK(mu_);

  const Client& objects_;
  base::Executor& loop_;
  const std::string component_;
  const base::Clock& clock_;
  base::Mutex mu_;
  std::map<std::string, Kind> kinds_ GUARDED_BY(mu_);
};

}  // namespace keelson::client
