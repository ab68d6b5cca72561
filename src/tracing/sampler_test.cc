#include "tracing/sampler.h"

#include <gtest/gtest.h>

namespace keelson::tracing {
namespace {

base::TraceId EndingIn(uint64_t end) {
  base::TraceId id{};
  id[0] = 1;
  for (size_t i = 0; i < 8; ++i) id[15 - i] = static_cast<uint8_t>(end >> (8 * i));
  return id;
}

TEST(SamplerTest, NoneAndAllAreExact) {
  EXPECT_FALSE(Sampler(0).Samples(EndingIn(0)));
  EXPECT_TRUE(Sampler(1'000'000).Samples(EndingIn(UINT64_MAX)));
}

TEST(SamplerTest, TheEndOfTheIdDecidesAsInOpenTelemetry) {
  const Sampler half(500'000);
  // Half of 2^63, compared with the last eight bytes without their lowest bit.
  EXPECT_TRUE(half.Samples(EndingIn(0x7fffffffffffffff)));
  EXPECT_FALSE(half.Samples(EndingIn(0x8000000000000000)));
  EXPECT_FALSE(Sampler(1).Samples(EndingIn(UINT64_MAX)));
  EXPECT_TRUE(Sampler(1).Samples(EndingIn(0)));
}

TEST(SamplerTest, ARootThatIsNotRecordedStillNamesASpanForOthers) {
  const base::SpanContext dropped = Sampler(0).NewRoot();
  EXPECT_FALSE(dropped.sampled);
  EXPECT_TRUE(dropped.valid());
  const base::SpanContext recorded = Sampler(1'000'000).NewRoot();
  EXPECT_TRUE(recorded.sampled);
  EXPECT_EQ(recorded.span_id, base::SpanId{});
  EXPECT_NE(recorded.trace_id, base::TraceId{});
}

TEST(SamplerTest, ARateIsKeptRoughly) {
  const Sampler tenth(100'000);
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += tenth.NewRoot().sampled ? 1 : 0;
  // Five standard deviations of a binomial distribution on either side.
  EXPECT_GT(sampled, 850);
  EXPECT_LT(sampled, 1150);
}

}  // namespace
}  // namespace keelson::tracing
