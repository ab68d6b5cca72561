#include "net/http/client_span.h"

#include <string>

#include "net/http/host_port.h"

namespace keelson::net::http {

void SetTraceContext(const base::SpanContext& context, Headers& headers) {
  if (!context.valid()) return;
  headers.Set("traceparent", base::TraceParent(context));
  if (!context.trace_state.empty()) headers.Set("tracestate", context.trace_state);
}

void DescribeClientRequest(base::Span& span, std::string_view method, std::string_view authority,
                           std::string_view target) {
  constexpr int kHttps = 443;
  const HostAndPort server = SplitHostPort(authority);
  span.Set("http.request.method", method);
  span.Set("url.full", std::string("https://").append(authority).append(target));
  span.Set("server.address", server.host);
  if (server.port > 0 && server.port != kHttps) span.SetNumber("server.port", server.port);
  span.Set("network.protocol.version", "1.1");
}

void DescribeClientAnswer(base::Span& span, int status) {
  span.SetNumber("http.response.status_code", status);
  if (status < 400) return;
  span.Set("error.type", std::to_string(status));
  span.Fail();
}

}  // namespace keelson::net::http
