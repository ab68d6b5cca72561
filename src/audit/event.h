// Event: what is known of one request that is audited. The parts that serve the request fill it in; at each
// stage it is encoded as it is then.
//
// Threads: the loop of the request.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "audit/level.h"
#include "audit/policy.h"
#include "auth/user.h"
#include "base/clock.h"
#include "base/slice.h"
#include "base/task.h"

namespace keelson::audit {

struct ObjectReference {
  std::string resource, ns, name, uid, group, version, resource_version, subresource;
};

// How long those before the handlers took over a request. base::RequestNotes have the others.
struct Latencies {
  std::chrono::nanoseconds authentication{0}, authorization{0}, impersonation{0};
};

// What a sink owes: whether it has kept the event as it was at a stage.
struct Owed {
  base::Completion<bool> kept;
  bool strict = false;  // the request depends on it
};

struct Event {
  explicit Event(Decision of_policy) : decision(of_policy) {}

  const Decision decision;
  std::string audit_id, uri, verb, user_agent;
  std::vector<std::string> source_ips;
  auth::UserPtr user;          // null: it could not be found out
  auth::UserPtr impersonated;  // null: nobody
  std::string impersonation_constraint;
  std::optional<ObjectReference> object;
  std::optional<api::Status> status;            // null until there is an answer
  base::Slice request_object, response_object;  // JSON; empty: none
  base::Clock::WallTime received;
  std::map<std::string, std::string, std::less<>> annotations;
  Latencies latencies;
  bool deprecated = false;           // what was asked for
  std::string_view removed_release;  // the release without it; empty: not decided
  std::vector<Owed> owed;            // of the stages so far

  // JSON of the first stage that the next one says as well: see EncodeJson. Empty: it is not known, or no
  // longer right.
  struct Told {
    base::Slice request, object;
  };
  Told told;

  // Whether anything of that level is kept: an event costs its reader as much as its writer.
  bool Wants(Level least) const { return decision.level >= least; }
  // The first value of a key stays. Nothing happens below `least`.
  void Annotate(std::string_view key, std::string value, Level least = Level::kMetadata);
  // The object in the request's body. What the path tells of the object counts more than what is in it.
  void SetRequestObject(const ObjectReference& in_body, base::Slice json);
  // The answer, where it is known before it is encoded.
  void SetStatusCode(int code);
};

// Adds an annotation where there is somebody to read it.
inline void Annotate(Event* event, std::string_view key, std::string value, Level least = Level::kMetadata) {
  if (event) event->Annotate(key, std::move(value), least);
}

}  // namespace keelson::audit
