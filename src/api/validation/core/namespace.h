#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/field.h"

namespace keelson::api::core {

field::ErrorList ValidateNamespace(core_v1::NamespaceView ns);
// The status subresource: the phase tells whether the namespace is being deleted.
field::ErrorList ValidateNamespaceStatusUpdate(core_v1::NamespaceView now);
// The finalize subresource.
field::ErrorList ValidateNamespaceFinalizeUpdate(core_v1::NamespaceView now);

}  // namespace keelson::api::core
