// Proxy: passes requests for an aggregated API on to its backend.
#pragma once

#include "aggregator/api_service.h"
#include "aggregator/backends.h"
#include "base/task.h"
#include "server/incoming_request.h"

namespace keelson::aggregator {

// The answer of whoever is at `destination` to a request that is authenticated and authorized here, on behalf
// of its user, who is named there; credentials are not passed on. Failures are text.
base::Task<net::http::Response> ForwardTo(Backends::ClientPtr client, server::IncomingRequest& incoming,
                                          net::http::Destination destination);

// Threads: any loop. Borrows `backends`.
class Proxy {
 public:
  // `reject_redirects`: an answer that leads elsewhere is not passed on.
  Proxy(Backends& backends, bool reject_redirects)
      : backends_(backends), reject_redirects_(reject_redirects) {}

  // The backend's answer to a request that is authenticated and authorized here, on behalf of its user, who
  // is named to the backend; credentials are not passed on. Failures are text, as upstream has them.
  // Requires: the APIService has a backend.
  base::Task<net::http::Response> Handle(server::IncomingRequest& incoming, ApiServicePtr service) const;
  // Passes the request on without a look at the condition Available.
  base::Task<net::http::Response> Forward(server::IncomingRequest& incoming, ApiServicePtr service) const;

 private:
  Backends& backends_;
  const bool reject_redirects_;
};

}  // namespace keelson::aggregator
