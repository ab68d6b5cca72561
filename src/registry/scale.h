// Scale: one form for the replicas of every kind that has some. Reading makes a Scale from
// the object; writing one changes the object's number of replicas and nothing else. Admission
// sees a write of the Scale, not one of the object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/managed_fields/field_set.h"
#include "api/meta/status.h"
#include "registry/group.h"

namespace keelson::registry {

// What a Scale says of its object.
struct Scaled {
  int32_t replicas = 0;          // wanted
  int32_t current_replicas = 0;  // seen
  std::string selector;          // of their pods, as text
};

// How a kind has what a Scale shows.
struct ScaleRules {
  api::GroupResource resource;
  const api::TypeDesc* type = nullptr;
  Scaled (*read)(const api::Doc& doc) = nullptr;
  void (*set_replicas)(api::Doc& doc, int32_t replicas) = nullptr;
};

// Requires: the resource has a store. `rules` must outlive it.
std::unique_ptr<Serving> ServeScale(const ScaleRules& rules, ServingOptions options,
                                    const Dependencies& dependencies);

// The same for kinds that say themselves where they have what a Scale shows.
//
// Threads: immutable, any.
class Scaling {
 public:
  virtual ~Scaling() = default;
  virtual const api::ResourceDesc& resource() const = 0;  // whose type the documents are of
  virtual rest::Result<Scaled> Read(const api::Doc& doc) const = 0;
  virtual rest::Result<void> SetReplicas(api::Doc& doc, int32_t replicas) const = 0;
  // Where the number of replicas is.
  virtual const api::managed_fields::FieldSet* replicas() const = 0;
};
// Borrows `scaling`, and all that `store` borrows.
std::unique_ptr<Serving> ServeScale(const Scaling& scaling, ServingOptions options, const Store& store,
                                    const base::Clock& clock);

}  // namespace keelson::registry
