// TracingFilter: the spans of a request on its way through the chain, as upstream's filters make them.
//
// Each filter's span lasts until the request is answered, so that it encloses those of the filters behind it.
// The span of the request itself comes after authentication: a client in the groups system:masters and
// system:monitoring decides by its traceparent which trace the request belongs to and whether it is recorded;
// that of anybody else is only told as a link.
#pragma once

#include <cstdint>

#include "base/trace.h"
#include "server/incoming_request.h"
#include "tracing/sampler.h"

namespace keelson::server {

// Threads: any loop.
class TracingFilter {
 public:
  // Borrows `sink`.
  TracingFilter(tracing::Sampler sampler, base::SpanSink& sink) : sampler_(sampler), sink_(sink) {}

  // Before authentication.
  void Arrived(IncomingRequest& incoming) const;
  // Begins the request's own span. Requires: incoming.user.
  void Authenticated(IncomingRequest& incoming) const;
  // The answer is sent, or given up.
  static void Finished(IncomingRequest& incoming, int code, uint64_t response_bytes);

 private:
  const tracing::Sampler sampler_;
  base::SpanSink& sink_;
};

}  // namespace keelson::server
