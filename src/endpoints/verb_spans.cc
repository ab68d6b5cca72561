#include "endpoints/verb_spans.h"

#include <string>

#include "base/trace.h"

namespace keelson::endpoints {
namespace {

constexpr size_t kMostUserAgent = 1024;

std::string UserAgent(const net::http::Request& request) {
  const std::string_view agent = request.headers.Get("user-agent").value_or("");
  if (agent.empty()) return "unknown";
  if (agent.size() <= kMostUserAgent) return std::string(agent);
  return std::string(agent.substr(0, kMostUserAgent)) + "...TRUNCATED";
}

std::string_view ProtocolOf(const net::http::Request& request) {
  return request.connection ? std::string_view(request.connection->protocol) : std::string_view();
}

}  // namespace

void EnterVerb(RequestScope& scope, std::string_view name) {
  base::Trace* const trace = scope.trace();
  base::Span* const span = trace ? trace->Enter(name) : nullptr;
  if (!span) return;
  const net::http::Request& request = scope.request;
  const RequestInfo& info = scope.info;
  span->Set("accept", request.headers.Get("accept").value_or(""));
  span->Set("audit-id", trace->facts.audit_id);
  span->Set("client", trace->facts.client);
  span->Set("api-group", info.group);
  span->Set("api-version", info.version);
  span->Set("name", info.name);
  span->Set("subresource", info.subresource);
  span->Set("namespace", info.ns);
  span->Set("protocol", ProtocolOf(request));
  span->Set("resource", info.resource);
  span->Set("scope", trace->facts.scope);
  span->Set("url", info.path);
  span->Set("user-agent", UserAgent(request));
  span->Set("verb", trace->facts.verb);
}

void EnterAnswer(RequestScope& scope, std::string_view name) {
  scope.answering = true;
  if (scope.audit && scope.notes && name == kObjectAnswer) scope.notes->answering = scope.clock().SteadyNow();
  base::Trace* const trace = scope.trace();
  base::Span* const span = trace ? trace->Enter(name) : nullptr;
  if (!span) return;
  span->Set("audit-id", trace->facts.audit_id);
  span->Set("method", scope.request.method);
  span->Set("url", scope.info.path);
  span->Set("protocol", ProtocolOf(scope.request));
  span->Set("mediaType", ContentType(scope.output.media));
}

}  // namespace keelson::endpoints
