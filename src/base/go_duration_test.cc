#include "base/go_duration.h"

#include <gtest/gtest.h>

namespace keelson::base {
namespace {

using namespace std::chrono_literals;

TEST(GoDurationTest, ReadsWhatGoWrites) {
  EXPECT_EQ(ParseGoDuration("1m0s").value(), 1min);
  EXPECT_EQ(ParseGoDuration("1h2m3.5s").value(), 1h + 2min + 3500ms);
  EXPECT_EQ(ParseGoDuration("250ms").value(), 250ms);
  EXPECT_EQ(ParseGoDuration(".5s").value(), 500ms);
  EXPECT_EQ(ParseGoDuration("3\xC2\xB5s").value(), 3us);
  EXPECT_EQ(ParseGoDuration("-1s").value(), -1s);
  EXPECT_EQ(ParseGoDuration("0").value(), 0s);
  EXPECT_EQ(ParseGoDuration("2562047h47m16.854775807s").value().count(), std::numeric_limits<int64_t>::max());
}

TEST(GoDurationTest, RefusesTheRestAsGoDoes) {
  EXPECT_EQ(ParseGoDuration("abc").error(), "time: invalid duration \"abc\"");
  EXPECT_EQ(ParseGoDuration("").error(), "time: invalid duration \"\"");
  EXPECT_EQ(ParseGoDuration("-").error(), "time: invalid duration \"-\"");
  EXPECT_EQ(ParseGoDuration(".s").error(), "time: invalid duration \".s\"");
  EXPECT_EQ(ParseGoDuration("5").error(), "time: missing unit in duration \"5\"");
  EXPECT_EQ(ParseGoDuration("5d").error(), "time: unknown unit \"d\" in duration \"5d\"");
  EXPECT_EQ(ParseGoDuration("99999999999h").error(), "time: invalid duration \"99999999999h\"");
}

}  // namespace
}  // namespace keelson::base
