// The rules of namespaces for what lives in them: nothing is created where there is no
// namespace or where one is being emptied, and the namespaces of the system stay.
#pragma once

#include "auth/user.h"
#include "registry/admission.h"
#include "registry/rest/storage.h"

namespace keelson::registry {

// For Admission::mutate. `namespaces` must outlive the function.
AdmissionFn NamespaceLifecycle(rest::Getter& namespaces);

// Creates the namespaces every cluster has, as far as they are absent.
base::Task<rest::Result<void>> CreateSystemNamespaces(rest::Creater& namespaces, const api::ResourceDesc& resource);

}  // namespace keelson::registry
