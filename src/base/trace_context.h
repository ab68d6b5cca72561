// SpanContext: which span of which trace something belongs to, and its form in the fields traceparent and
// tracestate (W3C Trace Context).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::base {

using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

struct SpanContext {
  TraceId trace_id{};
  SpanId span_id{};
  bool sampled = false;     // the spans of this trace are recorded
  bool remote = false;      // the span is another program's
  std::string trace_state;  // what others want to be handed on; empty: nothing

  // Whether it names a span.
  bool valid() const { return trace_id != TraceId{} && span_id != SpanId{}; }
};

// The context that the two fields tell; not valid: `parent` is malformed. A malformed `state` is left out.
SpanContext ParseTraceParent(std::string_view parent, std::string_view state);

// The field traceparent. Requires: valid().
std::string TraceParent(const SpanContext& context);

// Random, and not all zero. Any thread.
TraceId NewTraceId();
SpanId NewSpanId();

}  // namespace keelson::base
