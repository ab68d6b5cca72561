#include "registry/admissionregistration/resources.h"

namespace keelson::registry::admissionregistration {

Group Resources() { return {"admissionregistration.k8s.io", {}}; }

}  // namespace keelson::registry::admissionregistration
