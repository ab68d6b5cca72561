// Reader: other objects that a rule looks up while it judges a write. The composition root
// implements it over the stores.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Threads: any loop; every call resumes where it was awaited. Documents have their defaults.
class Reader {
 public:
  template <class T>
  using Result = base::Result<T, api::Status>;

  virtual ~Reader() = default;

  // What the cache has; only that there is none is made sure of. nullopt: there is none.
  virtual base::Task<Result<std::optional<api::Doc>>> Get(api::GroupResource resource, std::string ns,
                                                          std::string name) const = 0;
  // All that the cache has; shared, as most lists are asked for more often than they change.
  using Docs = std::shared_ptr<const std::vector<api::Doc>>;
  virtual base::Task<Result<Docs>> List(api::GroupResource resource) const = 0;
  // Those of one namespace.
  virtual base::Task<Result<std::vector<api::Doc>>> ListIn(api::GroupResource resource,
                                                           std::string ns) const = 0;
};

}  // namespace keelson::client
