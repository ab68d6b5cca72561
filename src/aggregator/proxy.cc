#include "aggregator/proxy.h"

#include <utility>

#include "aggregator/identity.h"
#include "base/log.h"
#include "base/trace.h"
#include "net/http/client_span.h"
#include "registry/core/forwarding.h"
#include "registry/core/kubelet_location.h"
#include "server/text_response.h"
#include "server/tracked_body.h"

namespace keelson::aggregator {
namespace {

using net::http::Response;
using server::TextError;

constexpr std::string_view kUnavailable = "service unavailable";

bool LeadsElsewhere(const Response& response) {
  return response.status >= 300 && response.status <= 399 &&
         !response.headers.Get("location").value_or("").empty();
}

Response RefusedRedirect() {
  return server::TextResponse(502, "the backend attempted to redirect this request, which is not permitted");
}

// The span of the call, which lasts until the answer is sent.
void BeginCall(server::IncomingRequest& incoming, std::string_view backend, std::string_view target) {
  if (!incoming.trace) return;
  net::http::Request& request = incoming.request;
  if (base::Span* const span = incoming.trace->Enter("HTTP " + request.method, base::SpanKind::kClient))
    net::http::DescribeClientRequest(*span, request.method, backend, target);
  net::http::SetTraceContext(incoming.trace->current(), request.headers);
}

}  // namespace

base::Task<Response> ForwardTo(Backends::ClientPtr client, server::IncomingRequest& incoming,
                               net::http::Destination destination) {
  net::http::Request& request = incoming.request;
  const std::string backend = registry::core::HostPort(destination.host, destination.port);
  SetIdentity(*incoming.user, request.headers);
  request.headers.Set("host", backend);
  request.headers.Set("x-forwarded-host", backend);
  request.headers.Set("x-forwarded-proto", "https");
  std::string target = request.query.empty() ? request.path : request.path + "?" + request.query;
  BeginCall(incoming, backend, target);
  auto answer = co_await registry::core::Forward(
      *client, request,
      {.destination = std::move(destination),
       .target = std::move(target),
       .links = registry::core::ProxiedLinks{.prefix = "", .backend = backend, .host = backend}});
  // Past its deadline the request has been told of without this.
  if (base::Span* const span = incoming.trace ? incoming.trace->innermost() : nullptr) {
    if (answer)
      net::http::DescribeClientAnswer(*span, answer->status);
    else
      span->Fail(answer.error().message);
  }
  if (!answer) co_return TextError(answer.error().code == 400 ? 400 : 503, answer.error().message);
  // The connection is the client's.
  if (answer->body)
    answer->body = std::make_unique<server::TrackedBody>(std::move(answer->body),
                                                         [kept = std::move(client)](uint64_t) {});
  co_return *std::move(answer);
}

base::Task<Response> Proxy::Handle(server::IncomingRequest& incoming, ApiServicePtr service) const {
  if (!service->available) {
    incoming.failure_is_told = true;  // by the condition
    co_return TextError(503, kUnavailable);
  }
  co_return co_await Forward(incoming, std::move(service));
}

base::Task<Response> Proxy::Forward(server::IncomingRequest& incoming, ApiServicePtr service) const {
  auto client = backends_.ClientFor(*service);
  if (!client) co_return TextError(500, client.error());
  auto destination = co_await backends_.Locate(*service->service);
  if (!destination) {
    base::Log(base::LogLevel::kWarning, "the backend of an APIService cannot be found",
              {{"name", service->name}, {"why", destination.error()}});
    co_return TextError(503, kUnavailable);
  }
  auto answer = co_await ForwardTo(*std::move(client), incoming, *std::move(destination));
  if (reject_redirects_ && LeadsElsewhere(answer)) co_return RefusedRedirect();
  co_return answer;
}

}  // namespace keelson::aggregator
