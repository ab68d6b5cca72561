#include "registry/storage/resources.h"

namespace keelson::registry::storage_api {

Group Resources() { return {"storage.k8s.io", {}}; }

}  // namespace keelson::registry::storage_api
