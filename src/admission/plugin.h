// Plugin: one rule that sees every write of the resources it concerns itself with, before
// anything is stored. One file each in plugins/; the chain asks them in a fixed order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::admission {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete };

// Borrowed, all of it: valid until the returned task is done.
struct Request {
  Operation operation = Operation::kCreate;
  const api::ResourceDesc* resource = nullptr;
  std::string_view subresource, ns;
  std::string_view name;  // empty where it is still to be made from generateName
  const auth::User* user = nullptr;
  bool dry_run = false;
  api::Doc* object = nullptr;                    // null on delete
  const api::Doc* old_object = nullptr;          // null on create
  std::vector<std::string>* warnings = nullptr;  // for the client; null: nobody reads them

  api::GroupResource group_resource() const { return {resource->group, resource->plural}; }
};

// An error is the answer to the client.
using Verdict = base::Result<void, api::Status>;

// Which of its two calls a plugin wants for a resource.
struct Concern {
  bool mutates = false, validates = false;
};

// Threads: any loop, many calls at a time.
class Plugin {
 public:
  virtual ~Plugin() = default;

  // Asked once for each resource and subresource.
  virtual Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const = 0;
  // May change the object. Requires: the concern says so.
  virtual base::Task<Verdict> Mutate(Request request) const;
  // Sees what is about to be stored. Requires: the concern says so.
  virtual base::Task<Verdict> Validate(Request request) const;
};

// Refuses a write in upstream's words.
Verdict Refuse(const Request& request, std::string_view why);

// True for a resource itself, not for its subresources.
inline bool Is(const api::ResourceDesc& resource, std::string_view subresource, api::GroupResource wanted) {
  return subresource.empty() && resource.plural == wanted.resource && resource.group == wanted.group;
}

}  // namespace keelson::admission
