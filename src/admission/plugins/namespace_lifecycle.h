// NamespaceLifecycle: nothing is put into a namespace that is not there or on its way out,
// and the namespaces the cluster itself lives in stay.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/meta/status.h"
#include "base/result.h"

namespace keelson::admission {

enum class NamespaceState : uint8_t { kAbsent, kActive, kTerminating };

// An error is the answer to the client.
base::Result<void, api::Status> AdmitNamespaceDelete(std::string_view name);

// A write of `name` (may be empty) below `ns`. Deletes need not ask: they are always allowed.
base::Result<void, api::Status> AdmitNamespaceContent(bool creates, api::GroupResource resource,
                                                      std::string_view name, std::string_view ns,
                                                      NamespaceState state);

}  // namespace keelson::admission
