#include "audit/event.h"

#include "base/log.h"

namespace keelson::audit {

void Event::Annotate(std::string_view key, std::string value, Level least) {
  if (!Wants(least)) return;
  const auto [it, added] = annotations.try_emplace(std::string(key), std::move(value));
  // NOLINTNEXTLINE(bugprone-use-after-move): try_emplace leaves what it does not take.
  if (!added && it->second != value)
    base::Log(base::LogLevel::kDebug, "an audit annotation is there already with another value",
              {{"key", key}, {"auditID", audit_id}});
}

void Event::SetRequestObject(const ObjectReference& in_body, base::Slice json) {
  told.object = {};
  ObjectReference& known = object ? *object : object.emplace();
  const auto fill = [](std::string& into, const std::string& from) {
    if (into.empty()) into = from;
  };
  fill(known.ns, in_body.ns);
  fill(known.name, in_body.name);
  fill(known.uid, in_body.uid);
  fill(known.resource_version, in_body.resource_version);
  if (Wants(Level::kRequest)) request_object = std::move(json);
}

void Event::SetStatusCode(int code) {
  if (!status) {
    status.emplace();
    status->status.clear();
  }
  status->code = code;
}

}  // namespace keelson::audit
