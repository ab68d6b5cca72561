#include "registry/events/resources.h"

namespace keelson::registry::events {

Group Resources() { return {"events.k8s.io", {}}; }

}  // namespace keelson::registry::events
