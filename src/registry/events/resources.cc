#include "registry/events/resources.h"

namespace keelson::registry::events {

Group Resources() {
  // The events of the core group in another form: one store, one cache.
  static const ResourceRow rows[] = {{.plural = "events"}};
  return {"events.k8s.io", rows};
}

}  // namespace keelson::registry::events
