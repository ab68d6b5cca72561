// Asking backends on this server's own behalf.
#pragma once

#include <chrono>
#include <string>

#include "aggregator/api_service.h"
#include "aggregator/backends.h"
#include "aggregator/identity.h"
#include "auth/authn/remote.h"
#include "base/result.h"
#include "base/task.h"
#include "net/http/client.h"

namespace keelson::aggregator {

struct Question {
  std::string method = "GET";
  std::string path, accept;
  std::string content_type, body;  // what is sent; empty: nothing
  const auth::User* user = &AggregatorUser();
  std::string etag;                      // of what is known already; empty: nothing
  size_t limit_bytes = size_t{8} << 20;  // a longer answer is an error
  std::chrono::seconds timeout{5};
};

// The answer, whatever its status; an error says why there is none. Borrows what it is given references to.
base::Task<base::Result<auth::RemoteAnswer, std::string>> AskAt(net::http::Client& client,
                                                                net::http::Destination destination,
                                                                Question question);
// Asks the backend of an APIService.
base::Task<base::Result<auth::RemoteAnswer, std::string>> Ask(Backends& backends, ApiServicePtr service,
                                                              Question question);

}  // namespace keelson::aggregator
