#include "extensions/conversion/converted_objects.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "registry/errors.h"
#include "storage/decode.h"

namespace keelson::extensions {

using storage::EventPtr;
using storage::ObjectPtr;

namespace {

// How often it is looked whether the deadline of somebody who waits has come.
constexpr std::chrono::milliseconds kBetweenLooks{100};

// With the encodings that its watches may leave in it.
size_t CostOf(const storage::Event& event) { return 3 * event.object->memory_bytes() + 256; }

EventPtr EventOf(ObjectPtr object) {
  auto* const event = new storage::Event;
  event->revision = object->revision();
  event->object = std::move(object);
  return EventPtr(event);
}

}  // namespace

storage::Error ConversionFailed(const api::ConversionError& error) {
  return {.code = storage::Code::kAborted,
          .detail = error.message,
          .cause = std::make_shared<const api::Status>(error.late ? api::RequestTimedOut()
                                                                  : registry::UnknownError(error.message))};
}

ConvertedObjects::ConvertedObjects(const api::ResourceDesc& version, std::string prefix,
                                   std::shared_ptr<const void> owner, ConvertedObjectsOptions options)
    : version_(version),
      api_version_(std::string(version.group) + "/" + std::string(version.version)),
      converter_(*api::ConverterOf(*version.type)),
      owner_(std::move(owner)),
      factory_(version, std::move(prefix)),
      options_(options) {}

std::shared_ptr<ConvertedObjects> ConvertedObjects::Create(const api::ResourceDesc& version,
                                                           std::string prefix,
                                                           std::shared_ptr<const void> owner,
                                                           ConvertedObjectsOptions options) {
  return std::shared_ptr<ConvertedObjects>(
      new ConvertedObjects(version, std::move(prefix), std::move(owner), options));
}

bool ConvertedObjects::IsInVersion(const storage::Object& object) const {
  const auto envelope = api::protobuf::ParseEnvelope(object.bytes());
  return envelope && envelope->api_version == api_version_;
}

std::string ConvertedObjects::KeyOf(const Wanted& wanted) {
  std::string key(wanted.object->uid());
  return key.append(wanted.as_before ? "<" : "@").append(std::to_string(wanted.object->revision()));
}

size_t ConvertedObjects::bytes() const {
  const base::MutexLock lock(mu_);
  return bytes_;
}

EventPtr ConvertedObjects::FindLocked(const std::string& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->event;
}

EventPtr ConvertedObjects::Find(const Wanted& wanted) {
  const std::string key = KeyOf(wanted);
  const base::MutexLock lock(mu_);
  return FindLocked(key);
}

void ConvertedObjects::KeepLocked(const std::string& key, const EventPtr& event) {
  const size_t cost = CostOf(*event);
  if (cost > options_.most_bytes || index_.contains(key)) return;
  kept_.push_front({key, event, cost});
  index_.emplace(key, kept_.begin());
  bytes_ += cost;
  while (bytes_ > options_.most_bytes) {
    bytes_ -= kept_.back().bytes;
    index_.erase(kept_.back().key);
    kept_.pop_back();
  }
}

void ConvertedObjects::Land(const std::string& key, Result result) {
  FlightPtr flight;
  std::vector<Waiter> waiters;
  {
    const base::MutexLock lock(mu_);
    if (result) KeepLocked(key, *result);
    const auto found = flights_.find(key);
    flight = found->second;
    flights_.erase(found);
    flight->result = std::make_shared<const Result>(std::move(result));
    waiters = std::move(flight->waiters);
  }
  for (const Waiter& waiter : waiters) waiter.landed.Set(true);
}

base::Task<storage::Result<std::vector<EventPtr>>> ConvertedObjects::Ask(const std::vector<Wanted>& wanted,
                                                                         bool as_list) {
  std::vector<api::Doc> docs;
  docs.reserve(wanted.size());
  for (const Wanted& w : wanted) {
    auto doc = storage::Decode(*w.object, *version_.type);
    if (!doc) co_return base::Err(ConversionFailed({doc.error().message}));
    api::MutableMetadataOf(*doc).clear_resource_version();  // as it is stored
    docs.push_back(*std::move(doc));
  }
  const auto converted = co_await converter_.Convert(std::move(docs), api_version_, as_list, nullptr);
  if (!converted) co_return base::Err(ConversionFailed(converted.error()));
  std::vector<EventPtr> events;
  events.reserve(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const storage::Object& was = *wanted[i].object;
    base::BufferBuilder envelope;
    api::protobuf::EncodeObject((*converted)[i], envelope);
    events.push_back(EventOf(CO_TRY(factory_.Make(was.key(), envelope.view(), was.create_revision(),
                                                  was.revision(), was.stored_seal()))));
  }
  co_return std::move(events);
}

base::Task<void> ConvertedObjects::Fly(std::shared_ptr<ConvertedObjects> self, std::vector<Wanted> wanted,
                                       std::vector<std::string> keys, bool as_list) {
  const auto events = co_await self->Ask(wanted, as_list);
  for (size_t i = 0; i < keys.size(); ++i)
    self->Land(keys[i], events ? Result((*events)[i]) : Result(base::Err(events.error())));
}

base::Completion<bool> ConvertedObjects::WaitLocked(Flight& flight, base::Clock::SteadyTime deadline) {
  base::Executor* const loop = base::Executor::Current();
  if (deadline != base::Clock::SteadyTime::max() && loop && !looking_) {
    looking_ = true;
    loop->PostAfter(kBetweenLooks, [self = shared_from_this()] { self->LookAtClock(); });
  }
  return flight.waiters.emplace_back(Waiter{.deadline = deadline, .landed = {}}).landed;
}

void ConvertedObjects::LookAtClock() {
  std::vector<Waiter> late;
  {
    const base::MutexLock lock(mu_);
    const auto now = options_.clock->SteadyNow();
    looking_ = false;
    for (const auto& [key, flight] : flights_) {
      const auto is_late = [&](const Waiter& waiter) { return waiter.deadline <= now; };
      std::ranges::copy_if(flight->waiters, std::back_inserter(late), is_late);
      std::erase_if(flight->waiters, is_late);
      looking_ |= std::ranges::any_of(flight->waiters, [](const Waiter& waiter) {
        return waiter.deadline != base::Clock::SteadyTime::max();
      });
    }
    if (looking_)
      base::Executor::Current()->PostAfter(kBetweenLooks,
                                           [self = shared_from_this()] { self->LookAtClock(); });
  }
  for (const Waiter& waiter : late) waiter.landed.Set(false);
}

ConvertedObjects::Boarding ConvertedObjects::Board(const std::vector<Wanted>& wanted,
                                                   base::Clock::SteadyTime deadline,
                                                   std::vector<EventPtr>& events) {
  Boarding boarding;
  const bool late = deadline <= options_.clock->SteadyNow();
  const base::MutexLock lock(mu_);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string key = KeyOf(wanted[i]);
    events[i] = FindLocked(key);
    if (events[i]) continue;
    if (late) {
      boarding.late = true;
      break;
    }
    FlightPtr& flight = flights_[key];
    if (flight) {
      boarding.landings.push_back(WaitLocked(*flight, deadline));
    } else {
      flight = std::make_shared<Flight>();
      boarding.unasked.push_back(wanted[i]);
      boarding.unasked_keys.push_back(key);
    }
    boarding.flights.emplace_back(i, flight);
  }
  // The last of one question lands when all have.
  if (!boarding.unasked.empty())
    boarding.landings.push_back(WaitLocked(*flights_[boarding.unasked_keys.back()], deadline));
  return boarding;
}

base::Task<storage::Result<std::vector<EventPtr>>> ConvertedObjects::Convert(std::vector<Wanted> wanted,
                                                                             bool as_list,
                                                                             base::Occupancy* occupancy) {
  std::vector<EventPtr> events(wanted.size());
  const auto deadline = occupancy ? occupancy->deadline : base::Clock::SteadyTime::max();
  Boarding boarding = Board(wanted, deadline, events);
  if (!boarding.landings.empty()) {
    const base::Absence absence(occupancy);
    if (!boarding.unasked.empty())
      base::Spawn(
          Fly(shared_from_this(), std::move(boarding.unasked), std::move(boarding.unasked_keys), as_list));
    for (const auto& landing : boarding.landings)
      if (!co_await landing) boarding.late = true;
  }
  if (boarding.late)
    co_return base::Err(ConversionFailed({.message = "context deadline exceeded", .late = true}));
  for (const auto& [i, flight] : boarding.flights) {
    const base::MutexLock lock(mu_);
    if (!*flight->result) co_return base::Err(flight->result->error());
    events[i] = **flight->result;
  }
  co_return std::move(events);
}

base::Task<storage::Result<ObjectPtr>> ConvertedObjects::Convert(ObjectPtr object,
                                                                 base::Occupancy* occupancy) {
  if (IsInVersion(*object)) co_return object;
  std::vector<Wanted> wanted;
  wanted.push_back({std::move(object)});
  const auto events = CO_TRY(co_await Convert(std::move(wanted), false, occupancy));
  co_return events.front()->object;
}

}  // namespace keelson::extensions
