// What a trace tells of a request to another server, and what that server is told of the trace.
#pragma once

#include <string_view>

#include "base/trace.h"
#include "net/http/headers.h"

namespace keelson::net::http {

// Puts the fields traceparent and tracestate of `context` in the place of those that are there. Not valid:
// they stay as they are.
void SetTraceContext(const base::SpanContext& context, Headers& headers);

// OpenTelemetry's attributes of an HTTP client's span. `authority`: host, and port where it is not the usual
// one; `target`: path and query.
void DescribeClientRequest(base::Span& span, std::string_view method, std::string_view authority,
                           std::string_view target);
void DescribeClientAnswer(base::Span& span, int status);

}  // namespace keelson::net::http
