// The fields traceparent and tracestate: the first line is one, the rest the other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/trace_context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using keelson::base::SpanContext;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const std::string_view state = line == std::string_view::npos ? "" : text.substr(line + 1);
  const SpanContext context = keelson::base::ParseTraceParent(text.substr(0, line), state);
  if (!context.valid()) return 0;
  // What was understood is handed on as it was understood.
  const SpanContext again =
      keelson::base::ParseTraceParent(keelson::base::TraceParent(context), context.trace_state);
  if (again.trace_id != context.trace_id || again.span_id != context.span_id ||
      again.sampled != context.sampled || again.trace_state != context.trace_state)
    std::abort();
  return 0;
}
