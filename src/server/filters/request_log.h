// One line for each request that failed or was slow; nothing secret in it.
#pragma once

#include <chrono>

#include "server/incoming_request.h"

namespace keelson::server {

inline constexpr std::chrono::seconds kSlowRequest{1};

void LogFinished(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took);

}  // namespace keelson::server
