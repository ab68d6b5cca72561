// HTTP/2 for one connection, framed by nghttp2.
#pragma once

#include <memory>

#include "net/session/session.h"

namespace keelson::net::http2 {

// Requires: `context` and `host` outlive the session.
std::unique_ptr<Session> MakeSession(SessionContext& context, Session::Host& host,
                                     std::shared_ptr<const http::ConnectionInfo> info);

}  // namespace keelson::net::http2
