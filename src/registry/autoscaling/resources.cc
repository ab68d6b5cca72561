#include "registry/autoscaling/resources.h"

namespace keelson::registry::autoscaling {

Group Resources() { return {"autoscaling", {}}; }

}  // namespace keelson::registry::autoscaling
