#include "tracing/sampler.h"

namespace keelson::tracing {
namespace {

constexpr int32_t kMillion = 1'000'000;
constexpr double kHalfOfAll = 9223372036854775808.0;  // 2^63

}  // namespace

Sampler::Sampler(int32_t rate_per_million)
    : all_(rate_per_million >= kMillion),
      bound_(all_ || rate_per_million <= 0
                 ? 0
                 : static_cast<uint64_t>(static_cast<double>(rate_per_million) / kMillion * kHalfOfAll)) {}

bool Sampler::Samples(const base::TraceId& id) const {
  if (all_) return true;
  uint64_t end = 0;
  for (size_t i = 8; i < id.size(); ++i) end = end << 8 | id[i];
  return end >> 1 < bound_;
}

base::SpanContext Sampler::NewRoot() const {
  base::SpanContext root{.trace_id = base::NewTraceId()};
  root.sampled = Samples(root.trace_id);
  if (!root.sampled) root.span_id = base::NewSpanId();
  return root;
}

}  // namespace keelson::tracing
