// HTTP/1.1 (and 1.0) for one connection: one request at a time, in order.
#pragma once

#include <memory>

#include "net/session/session.h"

namespace keelson::net::http1 {

// Requires: `context` and `host` outlive the session.
std::unique_ptr<Session> MakeSession(SessionContext& context, Session::Host& host,
                                     std::shared_ptr<const http::ConnectionInfo> info);

}  // namespace keelson::net::http1
