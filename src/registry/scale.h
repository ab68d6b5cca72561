// Scale: one form for the replicas of every kind that has some. Reading makes a Scale from
// the object; writing one changes the object's number of replicas and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
std::unique_ptr<Serving> ServeScale(const ScaleRules& rules, const Environment& environment);

}  // namespace keelson::registry
