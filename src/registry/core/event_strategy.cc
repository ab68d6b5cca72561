#include "api/validation/core/event.h"
#include "api/validation/events/event.h"
#include "api/validation/names.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::EventView;
using api::field::ErrorList;

// Event: kept for a while only. Old reporters made names of any kind, so a name need only
// fit into a path.
class EventStrategy final : public Strategy {
 public:
  explicit EventStrategy(std::chrono::seconds ttl) : ttl_(ttl) {}

  bool NamespaceScoped() const override { return true; }
  // The newer group asks more of metadata.
  bool ValidatesMetadata() const override { return true; }
  bool ChecksStandardFinalizers() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsPathSegment(name, prefix);
  }
  ErrorList Validate(const WriteContext& context, const api::Doc& doc) const override {
    const EventView event(doc);
    return IsStrict(context) ? api::events::ValidateEvent(event) : api::core::ValidateEvent(event);
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now,
                           const api::Doc& was) const override {
    return IsStrict(context) ? api::events::ValidateEventUpdate(EventView(now), EventView(was))
                             : api::core::ValidateEvent(EventView(now));
  }
  bool AllowCreateOnUpdate() const override { return true; }
  std::optional<std::chrono::seconds> TimeToLive(const api::Doc&) const override { return ttl_; }

 private:
  static bool IsStrict(const WriteContext& context) { return context.api_version.group == "events.k8s.io"; }

  const std::chrono::seconds ttl_;
};

}  // namespace

std::unique_ptr<Strategy> Events(std::chrono::seconds ttl) { return std::make_unique<EventStrategy>(ttl); }

}  // namespace keelson::registry::core
