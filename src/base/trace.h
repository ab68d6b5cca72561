// Trace: the spans of one request: what was done for it, when, and for how long.
//
// A part of the server that is given a Trace tells what it does by a ScopedSpan. Where requests are not
// traced there is no Trace; in one that is not sampled nothing is recorded, and all that a span costs is a
// look at that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/trace_context.h"

namespace keelson::base {

// The protocol's numbers.
enum class SpanKind : uint8_t { kInternal = 1, kServer = 2, kClient = 3 };

// Longer texts are cut: some of them come from clients.
inline constexpr size_t kMostAttributeBytes = 4096;

struct SpanAttribute {
  std::string_view key;  // a constant
  std::variant<std::string, int64_t> value;
};

struct SpanEvent {
  std::string_view name;  // a constant
  int64_t unix_nanos = 0;
  std::vector<SpanAttribute> attributes;
};

struct Span {
  std::string name;
  SpanKind kind = SpanKind::kInternal;
  SpanContext context;
  SpanId parent{};             // all zero: none
  bool parent_remote = false;  // it is another program's
  SpanContext link;            // what led to it without being its parent; not valid: nothing
  int64_t start_unix_nanos = 0, end_unix_nanos = 0;
  std::vector<SpanAttribute> attributes;
  std::vector<SpanEvent> events;
  bool failed = false;
  std::string failure;  // why, where that is known

  void Set(std::string_view key, std::string_view value) {
    attributes.push_back({key, std::string(value.substr(0, kMostAttributeBytes))});
  }
  void SetNumber(std::string_view key, int64_t value) { attributes.push_back({key, value}); }
  void AddEvent(std::string_view event, std::vector<SpanAttribute> with = {});
  void Fail(std::string_view why = {}) {
    failed = true;
    failure = why.substr(0, kMostAttributeBytes);
  }
  // About what it takes of memory.
  size_t Bytes() const;
};
using SpanPtr = std::unique_ptr<Span>;

// Where spans go when they have ended. Threads: any.
class SpanSink {
 public:
  virtual void Take(std::vector<SpanPtr> spans) = 0;

 protected:
  ~SpanSink() = default;
};

// Threads: those of the request, one at a time.
class Trace {
 public:
  // Spans are begun below `start`, which names a trace, and a span if there is one above them. Borrows
  // `sink`.
  Trace(SpanSink& sink, SpanContext start) : sink_(sink), current_(std::move(start)) {}
  // Ends what was begun after the answer, too.
  ~Trace() { Finish(); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  bool recording() const { return current_.sampled; }
  // What spans are begun below at the moment.
  const SpanContext& current() const { return current_; }
  // Spans are begun below `start` from now on: the request belongs to another trace.
  void Restart(SpanContext start) { current_ = std::move(start); }

  // Begins a span that lasts until Finish, with those begun afterwards below it. Null: nothing is recorded.
  // The pointer holds until then, too, and so not for who waits meanwhile: see innermost.
  Span* Enter(std::string_view name, SpanKind kind = SpanKind::kInternal);
  // What was entered last; null: nothing is, or the request has been answered.
  Span* innermost() const { return entered_.empty() || !recording() ? nullptr : entered_.back().get(); }
  // The request is answered: ends what was entered.
  void Finish();

  // What several spans tell of the request; set where it is recorded.
  struct Facts {
    std::string audit_id, client, verb, scope;
  };
  Facts facts;

 private:
  friend class ScopedSpan;
  static SpanPtr Begin(const SpanContext& above, std::string_view name, SpanKind kind);
  void End(SpanPtr span);
  void HandOver();

  SpanSink& sink_;
  SpanContext current_;
  std::vector<SpanPtr> entered_, ended_;
};

class ScopedSpan;

// What spans of work that is done side by side are begun below: a span, or else what the trace is at.
struct SpanParent {
  Trace* trace = nullptr;            // null: nothing is traced
  const ScopedSpan* span = nullptr;  // outlives those below it
};

// ScopedSpan: a span of what is done while it lives.
class ScopedSpan {
 public:
  // Null: nothing is traced. What is begun before it ends is below it.
  explicit ScopedSpan(Trace* trace, std::string_view name, SpanKind kind = SpanKind::kInternal);
  // Others may be begun beside it; what is to be below it says so by AsParent.
  explicit ScopedSpan(SpanParent parent, std::string_view name, SpanKind kind = SpanKind::kInternal);
  ~ScopedSpan() { End(); }
  ScopedSpan(const ScopedSpan&) = delete;
  ScopedSpan& operator=(const ScopedSpan&) = delete;

  // Whether it is recorded; else there is no span to add anything to.
  explicit operator bool() const { return span_ != nullptr; }
  Span* operator->() const { return span_.get(); }
  Span& operator*() const { return *span_; }
  void AddEvent(std::string_view name) {
    if (span_) span_->AddEvent(name);
  }
  void End();

  SpanParent AsParent() const { return {trace_, this}; }
  // What another program is told that it works for: this span, or what is not recorded. Not valid: nothing.
  SpanContext context() const;

 private:
  Trace* const trace_;
  SpanPtr span_;
  const bool stacked_;  // the trace is at it while it lasts
};

}  // namespace keelson::base
