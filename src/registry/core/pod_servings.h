// Subresources of pods that are no view of the pod: what is posted to them is an order, and
// the answer a Status.
#pragma once

#include <memory>

#include "registry/group.h"

namespace keelson::registry::core {

// Assigns a pod to a node: pods/binding, and the older bindings. Requires: pods have a
// PodStore.
std::unique_ptr<Serving> ServeBinding(ServingOptions options, const Dependencies& dependencies);

// Deletes a pod unless a disruption budget forbids it; then 429.
std::unique_ptr<Serving> ServeEviction(ServingOptions options, const Dependencies& dependencies);

// What an order that was carried out is answered with; the HTTP status fills in the code.
inline api::Status Carried() {
  api::Status status;
  status.code = 0;
  status.status = "Success";
  return status;
}

}  // namespace keelson::registry::core
