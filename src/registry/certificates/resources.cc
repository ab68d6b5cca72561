#include "registry/certificates/resources.h"

namespace keelson::registry::certificates {

Group Resources() { return {"certificates.k8s.io", {}}; }

}  // namespace keelson::registry::certificates
