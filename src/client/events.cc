#include "client/events.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"

namespace keelson::client {
namespace {

constexpr size_t kLongestPrefix = 236;  // of an event's name, which has 253 characters at most

int64_t Seconds(base::Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string EventName(std::string_view about, base::Clock::WallTime now) {
  std::string name(about.substr(0, kLongestPrefix));
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  char suffix[18];
  std::snprintf(suffix, sizeof(suffix), ".%llx",
                static_cast<unsigned long long>(
                    std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count()));
  return name + suffix;
}

void LogFailure(const Occurrence& what, const api::Status& why) {
  base::Log(base::LogLevel::kWarning, "cannot record an event",
            {{"resource", what.plural}, {"name", what.name}, {"reason", what.reason}, {"why", why.message}});
}

}  // namespace

std::string EventNamespace(std::string_view ns) { return std::string(ns.empty() ? "default" : ns); }

api::Doc MakeEvent(const EventSubject& subject, const EventText& text, base::Clock::WallTime now) {
  api::Doc doc(api::core_v1::EventView::Type());
  api::core_v1::EventEditor event(doc);
  event.set_kind_static("Event");
  event.set_api_version_static("v1");
  event.mutable_metadata().set_name(EventName(subject.name, now));
  event.mutable_metadata().set_namespace(EventNamespace(subject.ns));
  auto involved = event.mutable_involved_object();
  const api::ResourceDesc& desc = subject.desc;
  involved.set_kind(desc.kind);
  involved.set_api_version(desc.group.empty() ? std::string(desc.version)
                                              : std::string(desc.group) + "/" + std::string(desc.version));
  involved.set_namespace(subject.ns);
  involved.set_name(subject.name);
  involved.set_uid(subject.uid);
  event.set_reason(text.reason);
  event.set_message(text.message);
  event.set_type(text.type);
  event.set_count(1);
  event.set_first_timestamp(Seconds(now));
  event.set_last_timestamp(Seconds(now));
  event.mutable_source().set_component(text.component);
  event.set_reporting_component(text.component);
  return doc;
}

EventRecorder::EventRecorder(const Client& objects, base::Executor& loop, std::string component,
                             const base::Clock& clock)
    : objects_(objects), loop_(loop), component_(std::move(component)), clock_(clock) {}

void EventRecorder::Record(Occurrence occurrence) {
  const std::string key = occurrence.plural + "." + occurrence.group + "/" + occurrence.ns + "/" +
                          occurrence.name + "/" + occurrence.reason + "/" + occurrence.message;
  std::chrono::nanoseconds delay;
  {
    const base::MutexLock lock(mu_);
    if (!kinds_.contains(key)) {
      if (kinds_.size() >= kMostKinds) Forget();
      if (kinds_.size() >= kMostKinds) return;
      kinds_[key].what = std::move(occurrence);
    }
    Kind& kind = kinds_[key];
    ++kind.untold;
    kind.last = clock_.Now();
    if (std::exchange(kind.scheduled, true)) return;
    delay = kind.next_write - clock_.SteadyNow();
  }
  Schedule(key, delay);
}

// Makes room: what may be written at once when it happens again has been quiet for long enough.
void EventRecorder::Forget() {
  const auto now = clock_.SteadyNow();
  std::erase_if(kinds_,
                [&](const auto& entry) { return !entry.second.scheduled && entry.second.next_write <= now; });
}

void EventRecorder::Schedule(const std::string& key, std::chrono::nanoseconds delay) {
  auto write = [this, key] { base::Spawn(Write(key)); };
  delay.count() > 0 ? loop_.PostAfter(delay, std::move(write)) : loop_.Post(std::move(write));
}

base::Task<void> EventRecorder::Write(std::string key) {
  Kind kind;
  {
    const base::MutexLock lock(mu_);
    Kind& known = kinds_[key];
    kind = known;
    known.untold = 0;
    known.next_write = clock_.SteadyNow() + kPause;
  }
  kind.event = co_await Tell(kind);
  bool again = false;
  {
    const base::MutexLock lock(mu_);
    Kind& known = kinds_[key];
    known.event = std::move(kind.event);
    again = known.scheduled = known.untold > 0;
  }
  if (again) Schedule(key, kPause);
}

base::Task<std::string> EventRecorder::Tell(Kind kind) const {
  const Occurrence& what = kind.what;
  const std::string ns = EventNamespace(what.ns);
  const auto last = Seconds(kind.last);
  if (!kind.event.empty()) {
    const auto counted = co_await objects_.Update({"", "events"}, ns, kind.event, [&](api::Doc& doc) {
      api::core_v1::EventEditor event(doc);
      event.set_count(event.count() + kind.untold);
      event.set_last_timestamp(last);
      return true;
    });
    if (counted) co_return kind.event;
    if (counted.error().code != 404) {
      LogFailure(what, counted.error());
      co_return kind.event;
    }
  }
  // It has none yet, or that is forgotten: events live for an hour.
  const Resource resource(what.group, what.plural);
  const SourcePtr source = objects_.Find(resource);
  if (!source) co_return std::string();
  const auto about = co_await objects_.GetObject(resource, what.ns, what.name, Fresh::kCached);
  if (!about || !*about) co_return std::string();  // what is gone needs no event
  const std::string uid((*about)->uid());
  api::Doc doc = MakeEvent({*source->desc, what.ns, what.name, uid},
                           {.type = what.warning ? "Warning" : "Normal",
                            .reason = what.reason,
                            .message = what.message,
                            .component = component_},
                           kind.last);
  api::core_v1::EventEditor(doc).set_count(kind.untold);
  std::string name(api::MetadataOf(doc).name());
  const auto created = co_await objects_.Create({"", "events"}, ns, std::move(doc));
  if (created) co_return name;
  LogFailure(what, created.error());
  co_return std::string();
}

}  // namespace keelson::client
