// How a backend is told whom it is asked for.
#pragma once

#include "auth/user.h"
#include "net/http/headers.h"

namespace keelson::aggregator {

// Replaces whatever the fields X-Remote-* said.
void SetIdentity(const auth::User& user, net::http::Headers& headers);

// Who this server is where it asks for itself; it may see everything.
const auth::User& AggregatorUser();
// The same where it asks for descriptions, which everybody may see.
const auth::User& DescriptionReader();

}  // namespace keelson::aggregator
