#include "registry/batch/resources.h"

namespace keelson::registry::batch {

Group Resources() { return {"batch", {}}; }

}  // namespace keelson::registry::batch
