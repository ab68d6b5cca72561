// "/" and "/index.html": the paths there are.
#pragma once

#include "server/router.h"

namespace keelson::server {

// `router` is read when asked, so later additions are listed too.
void InstallIndex(Router& router);

}  // namespace keelson::server
