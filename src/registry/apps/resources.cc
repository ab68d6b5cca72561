#include "registry/apps/resources.h"

namespace keelson::registry::apps {

Group Resources() { return {"apps", {}}; }

}  // namespace keelson::registry::apps
