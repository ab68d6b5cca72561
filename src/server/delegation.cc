#include "server/delegation.h"

#include <utility>

namespace keelson::server {
namespace {

endpoints::RequestContext ContextOf(IncomingRequest& incoming) {
  return {.info = &incoming.info,
          .user = incoming.user.get(),
          .audit = incoming.audit.get(),
          .occupancy = &incoming,
          .notes = &incoming.notes};
}

}  // namespace

base::Task<net::http::Response> KubeApi::Handle(IncomingRequest& incoming) const {
  if (auto answer = handler_.HandleBuiltIn(incoming.request, ContextOf(incoming))) return *std::move(answer);
  return next_.Handle(incoming);
}

base::Task<net::http::Response> ApiExtensions::Handle(IncomingRequest& incoming) const {
  if (establishing_.now() && !handler_.ServesCustom(incoming.info)) return HandleSettled(incoming);
  return HandleNow(incoming);
}

base::Task<net::http::Response> ApiExtensions::HandleNow(IncomingRequest& incoming) const {
  if (auto answer = handler_.HandleCustom(incoming.request, ContextOf(incoming))) return *std::move(answer);
  return next_.Handle(incoming);
}

base::Task<net::http::Response> ApiExtensions::HandleSettled(IncomingRequest& incoming) const {
  co_await establishing_.settled();
  co_return co_await HandleNow(incoming);
}

base::Task<net::http::Response> NotFound::Handle(IncomingRequest& incoming) const {
  co_return handler_.NotFound(incoming.request, incoming.info);
}

}  // namespace keelson::server
