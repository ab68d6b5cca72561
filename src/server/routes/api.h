// ApiRoutes: from the router to what serves the API: /api and /apis, /openapi/v2 and /openapi/v3. Until that
// is loaded they answer 503.
//
// A client that has read that a definition is established finds what it defines: while one is being
// established, documents wait until it is settled, and so do requests for what nobody serves.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "base/task.h"
#include "endpoints/openapi/documents.h"
#include "endpoints/request_info.h"
#include "server/delegation.h"
#include "server/router.h"

namespace keelson::server {

// Threads: installed and opened by one; requests from any loop. Outlives the router.
class ApiRoutes {
 public:
  struct Api {
    const ApiServer& first;  // of the chain of servers
    endpoints::openapi::Documents& openapi;
    // The answer to a request for a document of OpenAPI that another server has; nullopt: it is here.
    std::function<std::optional<base::Task<net::http::Response>>(IncomingRequest&)> described_elsewhere;
    Establishing establishing;
    // Whether the resource of a request is served here.
    std::function<bool(const endpoints::RequestInfo&)> serves;
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
