// Plugin: one rule that sees every write of the resources it concerns itself with, before anything is
// stored, and every connection to them, before it is made. One file each in plugins/; the chain asks them in
// a fixed order.
#pragma once

#include <string_view>

#include "admission/attributes.h"
#include "api/types/resource_desc.h"
#include "base/task.h"

namespace keelson::admission {

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
  virtual base::Task<Verdict> Mutate(Attributes request) const;
  // Sees what is about to be stored or done. Requires: the concern says so.
  virtual base::Task<Verdict> Validate(Attributes request) const;
};

// Refuses a request in upstream's words.
Verdict Refuse(const Attributes& request, std::string_view why);
// Fails a request for a reason that upstream gives no kind of error: 500 with these words alone.
Verdict Fail(std::string why);

// True for a resource itself, not for its subresources.
inline bool Is(const api::ResourceDesc& resource, std::string_view subresource, api::GroupResource wanted) {
  return subresource.empty() && resource.plural == wanted.resource && resource.group == wanted.group;
}

}  // namespace keelson::admission
