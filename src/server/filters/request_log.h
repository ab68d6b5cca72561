// One line for each request that failed or was slow; nothing secret in it. With -v=3 and above one for every
// request, as upstream.
#pragma once

#include <chrono>

#include "server/incoming_request.h"

namespace keelson::server {

inline constexpr std::chrono::seconds kSlowRequest{1};

// Whether every request has a line.
bool LogsEveryRequest();

void LogFinished(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took);

}  // namespace keelson::server
