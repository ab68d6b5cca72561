// OwnClient: requests of this server to itself, in the process, as the server.
#pragma once

#include <memory>

#include "auth/user.h"
#include "base/clock.h"
#include "net/http/client.h"
#include "net/http/message.h"

namespace keelson::app {

// Hands requests to `handler` as if `user` had proved by a certificate who they are. Destinations are not
// looked at. A handler that is out of the request's time goes on alone, without the request's body. Borrows
// `handler` and `clock`.
std::unique_ptr<net::http::Client> MakeOwnClient(net::http::Handler& handler, const auth::User& user,
                                                 const base::Clock& clock = base::Clock::Real());

}  // namespace keelson::app
