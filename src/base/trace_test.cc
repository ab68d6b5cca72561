#include "base/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace keelson::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Kept final : public SpanSink {
 public:
  void Take(std::vector<SpanPtr> spans) override {
    ++hand_overs;
    for (SpanPtr& span : spans) ended.push_back(std::move(span));
  }
  const Span& Named(std::string_view name) const {
    for (const SpanPtr& span : ended)
      if (span->name == name) return *span;
    ADD_FAILURE() << "no span " << name;
    static const Span none;
    return none;
  }
  // "child<parent" of every span.
  std::vector<std::string> Tree() const {
    std::map<SpanId, std::string> names;
    for (const SpanPtr& span : ended) names[span->context.span_id] = span->name;
    std::vector<std::string> tree;
    for (const SpanPtr& span : ended)
      tree.push_back(span->name + "<" + (names.contains(span->parent) ? names[span->parent] : ""));
    return tree;
  }

  int hand_overs = 0;
  std::vector<SpanPtr> ended;
};

SpanContext Root(bool sampled) {
  return {.trace_id = NewTraceId(), .span_id = sampled ? SpanId{} : NewSpanId(), .sampled = sampled};
}

TEST(TraceTest, WhatIsEnteredEnclosesWhatComesAfterAndEndsWithTheRequest) {
  Kept kept;
  Trace trace(kept, Root(true));
  trace.Enter("authentication");
  trace.Enter("Get");
  {
    const ScopedSpan span(&trace, "cacher.Get");
  }
  trace.Enter("SerializeObject");
  EXPECT_THAT(kept.ended, IsEmpty());
  trace.Finish();
  EXPECT_THAT(kept.Tree(), UnorderedElementsAre("authentication<", "Get<authentication", "cacher.Get<Get",
                                                "SerializeObject<Get"));
  EXPECT_EQ(kept.hand_overs, 1);
  for (const SpanPtr& span : kept.ended) {
    EXPECT_EQ(span->context.trace_id, kept.ended[0]->context.trace_id);
    EXPECT_LE(span->start_unix_nanos, span->end_unix_nanos);
  }
}

TEST(TraceTest, SpansSideBySideHaveTheSameParent) {
  Kept kept;
  Trace trace(kept, Root(true));
  trace.Enter("Create");
  {
    const ScopedSpan a(SpanParent{&trace}, "a");
    const ScopedSpan b(SpanParent{&trace}, "b");
    const ScopedSpan below(a.AsParent(), "below", SpanKind::kClient);
    EXPECT_EQ(below.context().trace_id, trace.current().trace_id);
  }
  trace.Finish();
  EXPECT_THAT(kept.Tree(), UnorderedElementsAre("Create<", "a<Create", "b<Create", "below<a"));
  EXPECT_EQ(kept.Named("below").kind, SpanKind::kClient);
}

TEST(TraceTest, NothingIsRecordedOfATraceThatIsNotSampled) {
  Kept kept;
  Trace trace(kept, Root(false));
  EXPECT_EQ(trace.Enter("Get"), nullptr);
  const ScopedSpan span(&trace, "cacher.Get");
  EXPECT_FALSE(span);
  const ScopedSpan below(span.AsParent(), "below");
  EXPECT_FALSE(below);
  EXPECT_TRUE(below.context().valid()) << "others are told which trace it is, and that it is not recorded";
  EXPECT_FALSE(below.context().sampled);
  trace.Finish();
  EXPECT_EQ(kept.hand_overs, 0);
}

TEST(TraceTest, WithoutATraceASpanIsNothing) {
  ScopedSpan span(nullptr, "cacher.Get");
  EXPECT_FALSE(span);
  EXPECT_FALSE(span.context().valid());
  span.AddEvent("nobody hears it");
  const ScopedSpan below(span.AsParent(), "below");
  EXPECT_FALSE(below);
}

TEST(TraceTest, ARestartedTraceGoesOnInAnother) {
  Kept kept;
  Trace trace(kept, Root(true));
  trace.Enter("authentication");
  const SpanContext remote =
      ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1");
  trace.Restart(remote);
  trace.Enter("GET", SpanKind::kServer);
  trace.Finish();
  const Span& served = kept.Named("GET");
  EXPECT_EQ(served.context.trace_id, remote.trace_id);
  EXPECT_EQ(served.parent, remote.span_id);
  EXPECT_TRUE(served.parent_remote);
  EXPECT_EQ(served.context.trace_state, "vendor=1");
  EXPECT_NE(kept.Named("authentication").context.trace_id, remote.trace_id);
}

TEST(TraceTest, WorkThatGoesOnAfterTheAnswerIsToldWhenTheTraceGoes) {
  Kept kept;
  {
    Trace trace(kept, Root(true));
    trace.Enter("Create");
    ScopedSpan late(&trace, "Create etcd3");
    trace.Finish();
    EXPECT_THAT(kept.Tree(), ElementsAre("Create<"));
    late.End();
  }
  EXPECT_THAT(kept.Tree(), ElementsAre("Create<", "Create etcd3<Create"));
}

TEST(TraceTest, ManySpansDoNotPileUp) {
  Kept kept;
  Trace trace(kept, Root(true));
  for (int i = 0; i < 1000; ++i) const ScopedSpan span(&trace, "step");
  EXPECT_GT(kept.ended.size(), 800U);
}

TEST(TraceTest, LongAttributesAreCut) {
  Span span;
  span.Set("url.path", std::string(2 * kMostAttributeBytes, 'x'));
  EXPECT_EQ(std::get<std::string>(span.attributes[0].value).size(), kMostAttributeBytes);
  EXPECT_GT(span.Bytes(), kMostAttributeBytes);
}

}  // namespace
}  // namespace keelson::base
