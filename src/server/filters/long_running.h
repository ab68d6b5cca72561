// Which requests go on for as long as the client likes: no deadline, no in-flight slot.
#pragma once

#include "endpoints/request_info.h"

namespace keelson::server {

bool IsLongRunning(const endpoints::RequestInfo& info);

}  // namespace keelson::server
