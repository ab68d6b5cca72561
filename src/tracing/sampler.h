// Sampler: which traces are recorded, of those that begin here. Traces that others begin are recorded if they
// say so.
#pragma once

#include <cstdint>

#include "base/trace_context.h"

namespace keelson::tracing {

// Decides by the trace's id, so that all servers with the same rate record the same traces. Threads: any.
class Sampler {
 public:
  // 0: none; a million: all.
  explicit Sampler(int32_t rate_per_million);

  bool Samples(const base::TraceId& id) const;

  // A trace that begins here. Recorded, it names no span yet; else a span that nobody hears of.
  base::SpanContext NewRoot() const;

 private:
  const bool all_;
  const uint64_t bound_;  // of the 63 bits that are compared
};

}  // namespace keelson::tracing
