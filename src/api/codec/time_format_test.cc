#include "api/codec/time_format.h"

#include <gtest/gtest.h>

namespace keelson::api {
namespace {

std::string Time(int64_t seconds) {
  char text[kMaxTimeSize];
  return {text, FormatTime(seconds, text)};
}
std::string MicroTime(int64_t micros) {
  char text[kMaxTimeSize];
  return {text, FormatMicroTime(micros, text)};
}
std::string Duration(int64_t nanos) {
  char text[kMaxDurationSize];
  return {text, FormatDuration(nanos, text)};
}

TEST(TimeFormatTest, WritesUtcWithWholeSeconds) {
  EXPECT_EQ(Time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Time(1'700'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(Time(951'827'696), "2000-02-29T12:34:56Z");
  EXPECT_EQ(Time(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(Time(kZeroTimeSeconds), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Time(253'402'300'800), "10000-01-01T00:00:00Z");
  EXPECT_EQ(MicroTime(1'700'000'000'000'042), "2023-11-14T22:13:20.000042Z");
  EXPECT_EQ(MicroTime(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeFormatTest, FormattingAnyInt64StaysWithinTheBound) {
  for (int64_t v : {INT64_MIN, INT64_MAX, INT64_MIN / 2, INT64_MAX / 2}) {
    EXPECT_LT(Time(v).size(), kMaxTimeSize);
    EXPECT_LT(MicroTime(v).size(), kMaxTimeSize);
    EXPECT_LE(Duration(v).size(), kMaxDurationSize);
  }
}

TEST(TimeFormatTest, ParsesOffsetsAndFractions) {
  EXPECT_EQ(ParseTime("2023-11-14T22:13:20Z")->seconds, 1'700'000'000);
  EXPECT_EQ(ParseTime("2023-11-15T00:13:20+02:00")->seconds, 1'700'000'000);
  EXPECT_EQ(ParseTime("2023-11-14T20:13:20.75-02:00")->seconds, 1'700'000'000);
  EXPECT_EQ(ParseTime("2023-11-14T22:13:20.75Z")->nanos, 750'000'000);
  EXPECT_EQ(ParseTime("2023-11-14T5:13:20Z")->seconds, 1'700'000'000 - 17 * 3600);
  EXPECT_EQ(ParseTime("2023-11-14T22:13:20.000042Z", kMicroTimeLayout)->nanos, 42'000);
  EXPECT_EQ(ParseTime("0001-01-01T00:00:00Z")->seconds, kZeroTimeSeconds);
}

TEST(TimeFormatTest, ParseErrorsNameTheElementThatDoesNotFit) {
  EXPECT_EQ(ParseTime("abc").error(),
            R"(parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006")");
  EXPECT_EQ(ParseTime("2023-11-14").error(),
            R"(parsing time "2023-11-14" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T")");
  EXPECT_EQ(ParseTime("2023-13-14T00:00:00Z").error(),
            R"(parsing time "2023-13-14T00:00:00Z": month out of range)");
  EXPECT_EQ(ParseTime("2023-02-29T00:00:00Z").error(),
            R"(parsing time "2023-02-29T00:00:00Z": day out of range)");
  EXPECT_EQ(ParseTime("2023-11-14T22:13:20Zx").error(),
            R"(parsing time "2023-11-14T22:13:20Zx": extra text: "x")");
  EXPECT_EQ(
      ParseTime("2023-11-14T22:13:20Z", kMicroTimeLayout).error(),
      R"(parsing time "2023-11-14T22:13:20Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")");
}

TEST(TimeFormatTest, DurationsRoundTripInGoNotation) {
  for (std::string_view text : {"0s", "1ns", "1.5µs", "2.25ms", "1s", "1m0s", "1h0m0s", "1h15m30.918s",
                                "-1.5s", "2562047h47m16.854775807s", "-2562047h47m16.854775808s"}) {
    auto nanos = ParseDuration(text);
    ASSERT_TRUE(nanos) << text;
    EXPECT_EQ(Duration(*nanos), text);
  }
  EXPECT_EQ(ParseDuration("0.5h").value(), 1'800'000'000'000);
}

TEST(TimeFormatTest, DurationErrorsNameTheProblem) {
  EXPECT_EQ(ParseDuration("").error(), R"(time: invalid duration "")");
  EXPECT_EQ(ParseDuration("3").error(), R"(time: missing unit in duration "3")");
  EXPECT_EQ(ParseDuration("3d").error(), R"(time: unknown unit "d" in duration "3d")");
  EXPECT_EQ(ParseDuration("9223372036854775808ns").error(),
            R"(time: invalid duration "9223372036854775808ns")");
}

}  // namespace
}  // namespace keelson::api
