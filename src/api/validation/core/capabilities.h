// What the cluster as a whole lets pods do.
#pragma once

namespace keelson::api::core {

// Whether containers may be privileged; they may unless told otherwise.
// Threads: set before the first request, then read by any.
void SetPrivilegedAllowed(bool allowed);
bool PrivilegedAllowed();

}  // namespace keelson::api::core
