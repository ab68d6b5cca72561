// How requests share the server.
#pragma once

#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// Creates what is absent of the flow schemas and priority levels that a server comes with;
// brings those up to date that nobody has changed, and the mandatory ones in any case; and
// removes what older servers came with.
base::Task<Done> EnsureFlowControl(const client::Client& client);

}  // namespace keelson::bootstrap
