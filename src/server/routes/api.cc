#include "server/routes/api.h"

#include "api/meta/status.h"
#include "endpoints/respond.h"

namespace keelson::server {
namespace {

// The answer while the store is being loaded.
base::Task<net::http::Response> NotReadyYet(IncomingRequest& incoming) {
  incoming.failure_is_told = true;
  const api::Status status = api::GenericServerResponse(503, "", {}, "", "the server is starting");
  net::http::Response response = endpoints::StatusResponse(status, incoming.accept());
  response.headers.Set("retry-after", "1");
  co_return response;
}

}  // namespace

void ApiRoutes::Install(Router& router) {
  for (const char* root : {"/api", "/apis"}) {
    router.AddListed(root);
    router.AddSubtree(root, [this](IncomingRequest& incoming) { return AnswerApi(incoming); });
  }
  router.AddListed("/api/v1");
  const auto openapi = [this](IncomingRequest& incoming) { return AnswerOpenApi(incoming); };
  router.AddListed("/openapi/v2");
  router.AddSlowPage("/openapi/v2", openapi);  // one document, and nothing below it
  router.AddListed("/openapi/v3");
  router.AddSubtree("/openapi/v3", openapi);
}

bool ApiRoutes::Serves(const endpoints::RequestInfo& info) const {
  const Api* const api = api_.load(std::memory_order_acquire);
  return api && api->serves(info);
}

base::Task<net::http::Response> ApiRoutes::AnswerApi(IncomingRequest& incoming) const {
  const Api* const api = api_.load(std::memory_order_acquire);
  if (!api) return NotReadyYet(incoming);
  return api->first.Handle(incoming);
}

base::Task<net::http::Response> ApiRoutes::AnswerOpenApi(IncomingRequest& incoming) const {
  const Api* const api = api_.load(std::memory_order_acquire);
  if (!api) co_return co_await NotReadyYet(incoming);
  if (auto answer = api->described_elsewhere(incoming)) co_return co_await *std::move(answer);
  if (api->establishing.now()) co_await api->establishing.settled();
  co_return api->openapi.Handle(incoming.info.path, incoming.request.query, incoming.request.headers);
}

}  // namespace keelson::server
