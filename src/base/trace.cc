#include "base/trace.h"

#include <chrono>

namespace keelson::base {
namespace {

// A request that does one thing a thousand times has no more ended spans at once.
constexpr size_t kMostEnded = 128;

int64_t UnixNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

size_t BytesOf(const std::vector<SpanAttribute>& attributes) {
  size_t bytes = attributes.capacity() * sizeof(SpanAttribute);
  for (const SpanAttribute& attribute : attributes)
    if (const auto* const text = std::get_if<std::string>(&attribute.value)) bytes += text->size();
  return bytes;
}

}  // namespace

void Span::AddEvent(std::string_view event, std::vector<SpanAttribute> with) {
  events.push_back({.name = event, .unix_nanos = UnixNanos(), .attributes = std::move(with)});
}

size_t Span::Bytes() const {
  size_t bytes = sizeof(Span) + name.size() + failure.size() + context.trace_state.size() +
                 link.trace_state.size() + BytesOf(attributes);
  for (const SpanEvent& event : events) bytes += sizeof(SpanEvent) + BytesOf(event.attributes);
  return bytes;
}

SpanPtr Trace::Begin(const SpanContext& above, std::string_view name, SpanKind kind) {
  auto span = std::make_unique<Span>();
  span->name = name;
  span->kind = kind;
  span->context = above;
  span->context.span_id = NewSpanId();
  span->context.remote = false;
  span->parent = above.span_id;
  span->parent_remote = above.remote;
  span->start_unix_nanos = UnixNanos();
  return span;
}

Span* Trace::Enter(std::string_view name, SpanKind kind) {
  if (!recording()) return nullptr;
  entered_.push_back(Begin(current_, name, kind));
  current_ = entered_.back()->context;
  return entered_.back().get();
}

void Trace::End(SpanPtr span) {
  span->end_unix_nanos = UnixNanos();
  ended_.push_back(std::move(span));
  if (ended_.size() >= kMostEnded) HandOver();
}

void Trace::Finish() {
  for (; !entered_.empty(); entered_.pop_back()) End(std::move(entered_.back()));
  HandOver();
}

void Trace::HandOver() {
  if (!ended_.empty()) sink_.Take(std::exchange(ended_, {}));
}

ScopedSpan::ScopedSpan(Trace* trace, std::string_view name, SpanKind kind) : trace_(trace), stacked_(true) {
  if (!trace_ || !trace_->recording()) return;
  span_ = Trace::Begin(trace_->current_, name, kind);
  trace_->current_ = span_->context;
}

ScopedSpan::ScopedSpan(SpanParent parent, std::string_view name, SpanKind kind)
    : trace_(parent.trace), stacked_(false) {
  const bool below = parent.span && *parent.span;
  if (!trace_ || !(below || trace_->recording())) return;
  span_ = Trace::Begin(below ? parent.span->span_->context : trace_->current_, name, kind);
}

void ScopedSpan::End() {
  if (!span_) return;
  if (stacked_) {
    trace_->current_ = span_->context;
    trace_->current_.span_id = span_->parent;
    trace_->current_.remote = span_->parent_remote;
  }
  trace_->End(std::move(span_));
}

SpanContext ScopedSpan::context() const {
  if (span_) return span_->context;
  return trace_ ? trace_->current_ : SpanContext{};
}

}  // namespace keelson::base
