#include "api/validation/core/event.h"
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
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsPathSegment(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateEvent(EventView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateEvent(EventView(now));
  }
  bool AllowCreateOnUpdate() const override { return true; }
  std::optional<std::chrono::seconds> TimeToLive(const api::Doc&) const override { return ttl_; }

 private:
  const std::chrono::seconds ttl_;
};

}  // namespace

std::unique_ptr<Strategy> Events(std::chrono::seconds ttl) { return std::make_unique<EventStrategy>(ttl); }

}  // namespace keelson::registry::core
