#include "base/trace_context.h"

#include <gtest/gtest.h>

namespace keelson::base {
namespace {

constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

bool Valid(std::string_view parent) { return ParseTraceParent(parent, "").valid(); }

TEST(TraceContextTest, ATraceParentIsReadAndWritten) {
  const SpanContext context = ParseTraceParent(kParent, "");
  ASSERT_TRUE(context.valid());
  EXPECT_TRUE(context.sampled);
  EXPECT_TRUE(context.remote);
  EXPECT_EQ(context.trace_id[0], 0x0a);
  EXPECT_EQ(context.span_id[7], 0x31);
  EXPECT_EQ(TraceParent(context), kParent);
  EXPECT_FALSE(ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "").sampled);
}

TEST(TraceContextTest, LaterVersionsMaySayMore) {
  EXPECT_TRUE(Valid("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-will-be-like"));
  EXPECT_TRUE(Valid("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff"));
  EXPECT_FALSE(Valid(std::string(kParent) + "-more"));
}

TEST(TraceContextTest, WhatIsMalformedNamesNothing) {
  for (const char* parent : {
           "", "00",
           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",   // never a version
           "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",    // too short
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",   // upper case
           "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",    // 31 digits
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b71692033311-01",  // 17 digits
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",   // no trace
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",   // no span
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03",   // an unknown flag
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",      // no flags
           "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",   // no digit
       })
    EXPECT_FALSE(Valid(parent)) << parent;
}

TEST(TraceContextTest, TheStateIsHandedOnIfItIsWellFormed) {
  const auto state = [](std::string_view given) { return ParseTraceParent(kParent, given).trace_state; };
  EXPECT_EQ(state("a=1,b@c=2"), "a=1,b@c=2");
  EXPECT_EQ(state(" a=1 ,\t,b=x y"), "a=1,b=x y");
  EXPECT_EQ(state(""), "");
  for (const char* bad : {"a", "A=1", "a=1,a=2", "a=", "=1", "a=1=2", "a@=1", "@b=1", "a=\x7f"})
    EXPECT_EQ(state(bad), "") << bad;
  std::string many;
  for (int i = 0; i < 33; ++i) many += "k" + std::to_string(i) + "=1,";
  EXPECT_EQ(state(many), "");
}

TEST(TraceContextTest, NewIdsDiffer) {
  EXPECT_NE(NewTraceId(), NewTraceId());
  EXPECT_NE(NewSpanId(), NewSpanId());
}

}  // namespace
}  // namespace keelson::base
