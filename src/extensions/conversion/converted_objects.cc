#include "extensions/conversion/converted_objects.h"

#include <utility>

#include "api/codec/protobuf.h"
#include "api/meta/object_meta.h"
#include "registry/errors.h"
#include "storage/decode.h"

namespace keelson::extensions {

using storage::EventPtr;
using storage::ObjectPtr;

namespace {

// With the encodings that its watches may leave in it.
size_t CostOf(const storage::Event& event) { return 3 * event.object->memory_bytes() + 256; }

EventPtr EventOf(ObjectPtr object) {
  auto* const event = new storage::Event;
  event->revision = object->revision();
  event->object = std::move(object);
  return EventPtr(event);
}

}  // namespace

storage::Error ConversionFailed(std::string_view text) {
  return {.code = storage::Code::kAborted,
          .detail = std::string(text),
          .cause = std::make_shared<const api::Status>(registry::UnknownError(text))};
}

ConvertedObjects::ConvertedObjects(const api::ResourceDesc& version, std::string prefix, size_t most_bytes)
    : version_(version),
      api_version_(std::string(version.group) + "/" + std::string(version.version)),
      converter_(*api::ConverterOf(*version.type)),
      factory_(version, std::move(prefix)),
      most_bytes_(most_bytes) {}

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
  if (cost > most_bytes_ || index_.contains(key)) return;
  kept_.push_front({key, event, cost});
  index_.emplace(key, kept_.begin());
  bytes_ += cost;
  while (bytes_ > most_bytes_) {
    bytes_ -= kept_.back().bytes;
    index_.erase(kept_.back().key);
    kept_.pop_back();
  }
}

void ConvertedObjects::Land(const std::string& key, Result result) {
  FlightPtr flight;
  std::vector<base::Completion<bool>> waiters;
  {
    const base::MutexLock lock(mu_);
    if (result) KeepLocked(key, *result);
    const auto found = flights_.find(key);
    flight = found->second;
    flights_.erase(found);
    flight->result = std::make_shared<const Result>(std::move(result));
    waiters = std::move(flight->waiters);
  }
  for (const auto& waiter : waiters) waiter.Set(true);
}

base::Task<storage::Result<std::vector<EventPtr>>> ConvertedObjects::Ask(const std::vector<Wanted>& wanted,
                                                                         bool as_list) {
  std::vector<api::Doc> docs;
  docs.reserve(wanted.size());
  for (const Wanted& w : wanted) {
    auto doc = storage::Decode(*w.object, *version_.type);
    if (!doc) co_return base::Err(ConversionFailed(doc.error().message));
    api::MutableMetadataOf(*doc).clear_resource_version();  // as it is stored
    docs.push_back(*std::move(doc));
  }
  const auto converted = co_await converter_.Convert(std::move(docs), api_version_, as_list);
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

base::Task<void> ConvertedObjects::Fly(std::vector<Wanted> wanted, std::vector<std::string> keys,
                                       bool as_list) {
  const auto events = co_await Ask(wanted, as_list);
  for (size_t i = 0; i < keys.size(); ++i)
    Land(keys[i], events ? Result((*events)[i]) : Result(base::Err(events.error())));
}

base::Task<storage::Result<std::vector<EventPtr>>> ConvertedObjects::Convert(std::vector<Wanted> wanted,
                                                                             bool as_list) {
  std::vector<EventPtr> events(wanted.size());
  std::vector<std::pair<size_t, FlightPtr>> awaited;
  std::vector<base::Completion<bool>> landings;
  std::vector<Wanted> unasked;
  std::vector<std::string> unasked_keys;
  {
    const base::MutexLock lock(mu_);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const std::string key = KeyOf(wanted[i]);
      events[i] = FindLocked(key);
      if (events[i]) continue;
      FlightPtr& flight = flights_[key];
      if (flight) {
        landings.push_back(flight->waiters.emplace_back());
      } else {
        flight = std::make_shared<Flight>();
        unasked.push_back(wanted[i]);
        unasked_keys.push_back(key);
      }
      awaited.emplace_back(i, flight);
    }
  }
  if (!unasked.empty()) co_await Fly(std::move(unasked), std::move(unasked_keys), as_list);
  for (const auto& landing : landings) co_await landing;
  for (const auto& [i, flight] : awaited) {
    const base::MutexLock lock(mu_);
    if (!*flight->result) co_return base::Err(flight->result->error());
    events[i] = **flight->result;
  }
  co_return std::move(events);
}

base::Task<storage::Result<ObjectPtr>> ConvertedObjects::Convert(ObjectPtr object) {
  if (IsInVersion(*object)) co_return object;
  std::vector<Wanted> wanted;
  wanted.push_back({std::move(object)});
  const auto events = CO_TRY(co_await Convert(std::move(wanted), false));
  co_return events.front()->object;
}

}  // namespace keelson::extensions
