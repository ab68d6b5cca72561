// OwnClient: requests of this server to itself, in the process, as the server.
#pragma once

#include <memory>

#include "auth/user.h"
#include "net/http/client.h"
#include "net/http/message.h"

namespace keelson::app {

// Hands requests to `handler` as if `user` had proved by a certificate who they are. Destinations are not
// looked at, and a request ends when the handler ends it: its timeouts are the handler's. Borrows `handler`.
std::unique_ptr<net::http::Client> MakeOwnClient(net::http::Handler& handler, const auth::User& user);

}  // namespace keelson::app
