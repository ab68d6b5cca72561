// How a backend is told whom it is asked for.
#pragma once

#include "auth/user.h"
#include "net/http/headers.h"

namespace keelson::aggregator {

// Replaces whatever the fields X-Remote-* said.
void SetIdentity(const auth::User& user, net::http::Headers& headers);

// Who this server is where it asks for itself; it may see everything.
const auth::User& AggregatorUser();
// The user that this server names when it reads OpenAPI documents of backends, which every user may read.
const auth::User& DescriptionReader();

}  // namespace keelson::aggregator
