// ApiRoutes: from the router to what serves the API: /api and /apis, /openapi/v2 and /openapi/v3. Until that
// is loaded they answer 503.
//
// A client that has read that a definition is established finds what it defines: while one is being
// established, requests for what is not served, or for all that is, wait until it is settled.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "base/task.h"
#include "endpoints/api_handler.h"
#include "endpoints/openapi/documents.h"
#include "endpoints/request_info.h"
#include "server/router.h"

namespace keelson::server {

// Threads: installed and opened by one; requests from any loop. Outlives the router.
class ApiRoutes {
 public:
  struct Api {
    // The chain of servers: each answers what it serves, and leaves the rest to the next. The aggregator has
    // what the backends of APIServices serve, the handler first what is built in, then custom resources; what
    // nobody serves is not found.
    std::function<std::optional<base::Task<net::http::Response>>(IncomingRequest&)> aggregator;
    endpoints::ApiHandler& handler;
    endpoints::openapi::Documents& openapi;
    // Whether the request is for a resource that is always served.
    std::function<bool(const endpoints::RequestInfo&)> serves_built_in;
    // Whether a definition is being established, and what ends when that is settled. Any loop.
    std::function<bool()> establishing;
    std::function<base::Task<void>()> settled;
  };

  void Install(Router& router);
  // From now on requests are served. `api` outlives the last of them.
  void Open(const Api& api) { api_.store(&api, std::memory_order_release); }

  bool is_open() const { return api_.load(std::memory_order_acquire) != nullptr; }
  // Whether the resource of the request is served. Requires: it is for a resource.
  bool Serves(const endpoints::RequestInfo& info) const;

 private:
  base::Task<net::http::Response> AnswerApi(IncomingRequest& incoming) const;
  base::Task<net::http::Response> AnswerOpenApi(IncomingRequest& incoming) const;

  std::atomic<const Api*> api_{nullptr};
};

}  // namespace keelson::server
