#include "registry/policy/resources.h"

namespace keelson::registry::policy {

Group Resources() { return {"policy", {}}; }

}  // namespace keelson::registry::policy
