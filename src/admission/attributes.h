// Attributes: one request as admission sees it, be it a write or a connection. The registry
// fills it in, plug-ins judge it, and nothing else stands between the two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/occupancy.h"
#include "base/request_notes.h"
#include "base/result.h"

namespace keelson::audit {
struct Event;
}

namespace keelson::admission {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

// The operation as rules and expressions spell it: "CREATE".
constexpr std::string_view NameOf(Operation operation) {
  switch (operation) {
    case Operation::kCreate: return "CREATE";
    case Operation::kUpdate: return "UPDATE";
    case Operation::kDelete: return "DELETE";
    case Operation::kConnect: return "CONNECT";
  }
  std::unreachable();
}

// The client's wishes besides the object: CreateOptions, UpdateOptions or DeleteOptions,
// by the operation. A connection has none. A dry run is told by Attributes::dry_run.
struct Options {
  // Create and update have these, as the client gave them; empty: not given.
  std::string_view field_manager, field_validation;
  // Delete has these.
  std::optional<int64_t> grace_period_seconds;
  std::optional<std::string_view> uid, resource_version;  // preconditions
  std::optional<std::string_view> propagation_policy;
  std::optional<bool> orphan_dependents;
};

class Reinvocation;

// Borrowed, all of it: valid until the returned task is done.
struct Attributes {
  Operation operation = Operation::kCreate;
  const api::ResourceDesc* resource = nullptr;   // in the version that the objects are in
  const api::ResourceDesc* requested = nullptr;  // in the version that the client speaks; null: `resource`
  std::string_view subresource;                  // "exec"; empty: the resource itself
  std::string_view ns;                           // empty for cluster-scoped resources
  std::string_view name;                         // empty where it is still to be made from generateName
  const auth::User* user = nullptr;
  std::string_view verb;  // of an update, as the authorizer was asked: "update", "patch"
  bool dry_run = false;
  // What is written, of the subresource's kind where that has its own (Scale, Eviction); the options
  // of a connection (PodExecOptions); null on delete.
  api::Doc* object = nullptr;
  const api::Doc* old_object = nullptr;          // null on create and connect
  std::vector<std::string>* warnings = nullptr;  // for the client; null: nobody reads them
  audit::Event* audit = nullptr;                 // takes annotations; null: nobody reads them
  // The deadline, and what is given back while somebody else is waited for; null: there is neither.
  base::Occupancy* occupancy = nullptr;
  base::RequestNotes* notes = nullptr;  // null: nobody reads them
  Options options;

  // Remembers what was asked about an object that is changed; null: there is one round only.
  Reinvocation* reinvocation = nullptr;

  const api::ResourceDesc& requested_resource() const { return requested ? *requested : *resource; }
  api::GroupResource group_resource() const { return {resource->group, resource->plural}; }
};

// An error is the answer to the client.
using Verdict = base::Result<void, api::Status>;

// Adds a warning once, however often it is given: many objects may be judged for one request.
inline void AddWarning(std::vector<std::string>* warnings, std::string text) {
  if (warnings && std::ranges::find(*warnings, text) == warnings->end()) warnings->push_back(std::move(text));
}

}  // namespace keelson::admission
