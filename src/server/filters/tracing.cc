#include "server/filters/tracing.h"

#include <algorithm>
#include <string>

#include "net/http/host_port.h"
#include "server/filters/request_metrics.h"
#include "server/filters/source_ips.h"

namespace keelson::server {
namespace {

constexpr size_t kMostAuditId = 64;
constexpr std::string_view kMethods[] = {"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS",
                                         "PATCH",   "POST",   "PUT", "TRACE"};

bool MayDecide(const auth::User& user) {
  return user.InGroup(auth::kMastersGroup) || user.InGroup("system:monitoring");
}

// "GET /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}": what is alike has one name.
std::string SpanName(const IncomingRequest& x) {
  const endpoints::RequestInfo& info = x.info;
  std::string name = x.request.method;
  if (!info.resource_request) return name;
  name.append(" /").append(info.api_prefix);
  if (!info.group.empty()) name.append("/").append(info.group);
  name.append("/").append(info.version);
  if (!info.ns.empty()) name += "/namespaces/{:namespace}";
  name.append("/").append(info.resource);
  if (!info.name.empty()) name += "/{:name}";
  if (!info.subresource.empty()) name.append("/").append(info.subresource);
  return name;
}

// The attributes of a server span in OpenTelemetry's conventions for HTTP.
void Describe(const IncomingRequest& x, base::Span& span) {
  constexpr int kHttps = 443;
  const net::http::Request& r = x.request;
  const net::http::HostAndPort server = net::http::SplitHostPort(r.headers.Get("host").value_or(""));
  const bool known = std::ranges::find(kMethods, std::string_view(r.method)) != std::end(kMethods);
  span.Set("server.address", server.host);
  span.Set("http.request.method", known ? std::string_view(r.method) : "GET");
  if (!known) span.Set("http.request.method_original", r.method);
  span.Set("url.scheme", "https");
  if (server.port > 0 && server.port != kHttps) span.SetNumber("server.port", server.port);
  const std::string_view forwarded = r.headers.Get("x-forwarded-for").value_or("");
  std::string_view client = forwarded.substr(0, forwarded.find(','));
  if (r.connection) {
    span.Set("network.peer.address", r.connection->remote_address);
    if (r.connection->remote_port > 0) span.SetNumber("network.peer.port", r.connection->remote_port);
    if (client.empty()) client = r.connection->remote_address;
    const std::string& protocol = r.connection->protocol;
    span.Set("network.protocol.version", std::string_view(protocol).substr(protocol.find('/') + 1));
  }
  if (const auto agent = r.headers.Get("user-agent"); agent && !agent->empty())
    span.Set("user_agent.original", *agent);
  if (!client.empty()) span.Set("client.address", client);
  span.Set("url.path", x.info.path);
  span.Set("http.target", r.query.empty() ? r.path : r.path + "?" + r.query);
  span.Set("audit-id", std::string_view(x.audit_id).substr(0, kMostAuditId));
}

base::Trace::Facts FactsOf(const IncomingRequest& x) {
  const auto from = SourceIps(x.request);
  const std::string_view scope = ScopeLabel(x.info);
  return {.audit_id = x.audit_id.substr(0, kMostAuditId),
          .client = from.empty() ? "unknown" : from.front(),
          .verb = std::string(VerbLabel(x, scope)),
          .scope = std::string(scope)};
}

}  // namespace

void TracingFilter::Arrived(IncomingRequest& x) const {
  x.trace = std::make_unique<base::Trace>(sink_, sampler_.NewRoot());
  x.notes.trace = x.trace.get();
  x.trace->Enter("authentication");
}

void TracingFilter::Authenticated(IncomingRequest& x) const {
  base::Trace& trace = *x.trace;
  const auto given = x.request.headers.Get("traceparent");
  const base::SpanContext remote =
      given ? base::ParseTraceParent(*given, x.request.headers.Get("tracestate").value_or(""))
            : base::SpanContext();
  const bool decides = MayDecide(*x.user);
  if (!decides)
    trace.Restart(sampler_.NewRoot());
  else if (remote.valid())
    trace.Restart(remote);
  base::Span* const span = trace.recording() ? trace.Enter(SpanName(x), base::SpanKind::kServer) : nullptr;
  if (!span) return;
  if (!decides) span->link = remote;
  Describe(x, *span);
  trace.facts = FactsOf(x);
  x.server_span = span;
}

void TracingFilter::Finished(IncomingRequest& x, int code, uint64_t response_bytes) {
  if (base::Span* const span = x.server_span) {
    if (code >= 500) span->Fail();
    if (const uint64_t read = x.body.read_bytes(); read > 0)
      span->SetNumber("http.request.body.size", static_cast<int64_t>(read));
    if (response_bytes > 0) span->SetNumber("http.response.body.size", static_cast<int64_t>(response_bytes));
    span->SetNumber("http.response.status_code", code);
    x.server_span = nullptr;
  }
  x.trace->Finish();
}

}  // namespace keelson::server
