#include "storage/cacher/history.h"

#include <map>
#include <optional>
#include <utility>

#include "storage/direct/read_event.h"

namespace keelson::storage {
namespace {

using base::Err;

// Keeps the changes up to a revision; those that come later are not wanted.
class Collector final : public Observer {
 public:
  Collector(Revision until, size_t max_bytes) : until_(until), max_bytes_(max_bytes) {}

  // To be asked when the subscription is gone.
  Result<std::vector<KeptChange>> Take() {
    if (error_) return Err(std::move(*error_));
    return std::move(kept_);
  }

 private:
  void OnChanges(std::span<const Change> changes, Revision) override {
    for (const Change& change : changes) {
      if (error_ || change.revision > until_) return;
      bytes_ += change.value.size() + change.key.size();
      if (bytes_ > max_bytes_) return Fail({.code = Code::kExpired, .detail = "too much history"});
      kept_.emplace_back(change);
    }
  }
  void OnBroken(const Error& error) override { Fail(error); }
  void Fail(Error error) {
    kept_.clear();
    if (!error_) error_ = std::move(error);
  }

  const Revision until_;
  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::vector<KeptChange> kept_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<EventPtr>> ReadHistory(Backend& backend, const ObjectFactory& factory, Revision after,
                                          Revision until, size_t max_bytes) {
  Collector collector(until, max_bytes);
  // Tells everything before it returns; the subscription ends at once.
  TRY(backend.Subscribe(std::string(factory.prefix()) + "/", after, collector));
  auto changes = TRY(collector.Take());

  std::map<std::string, ObjectPtr, std::less<>> newest;  // as of the change before
  std::vector<EventPtr> events;
  events.reserve(changes.size());
  for (const KeptChange& kept : changes) {
    const auto known = newest.find(kept.key());
    auto event = TRY(ReadEvent(backend, factory, kept.Get(),
                               known != newest.end() ? std::optional(known->second) : std::nullopt));
    if (!event) continue;
    newest[kept.key()] = event->type == EventType::kDeleted ? nullptr : event->object;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace keelson::storage
