// /debug/flags: flags that can be changed while the server runs. There is one: /debug/flags/v, the verbosity
// of the log.
#pragma once

#include "server/router.h"

namespace keelson::server {

void InstallDebugFlags(Router& router);

}  // namespace keelson::server
