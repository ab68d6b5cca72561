#include "api/codec/quantity.h"

#include <gtest/gtest.h>

namespace keelson::api {
namespace {

Quantity Q(std::string_view text) { return Quantity::Parse(text).value(); }

TEST(QuantityTest, CanonicalTextIsTheLargestSuffixWithoutAFraction) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "0"},
      {"0Mi", "0"},
      {"-0", "0"},
      {"+", "0"},
      {"1000m", "1"},
      {"100m", "100m"},
      {"0.1", "100m"},
      {"1.5", "1500m"},
      {"1024Ki", "1Mi"},
      {"1Gi", "1Gi"},
      {"1.5Gi", "1536Mi"},
      {"0.5Ki", "512"},
      {"1000", "1k"},
      {"1500k", "1500k"},
      {"1e3", "1e3"},
      {"1000e0", "1e3"},
      {"1E3", "1E3"},
      {"12e6", "12e6"},
      {"0.1e-3", "100e-6"},
      {"1u", "1u"},
      {"0.1n", "1n"},
      {"1.1n", "2n"},
      {"-0.1n", "-1n"},
      {"-1.5Gi", "-1536Mi"},
      {"1023", "1023"},
      {"8Ki", "8Ki"},
      {"8192Ki", "8Mi"},
      {"0.0001Ki", "102400u"},
      {"10000000000000000000000", "10"},  // as upstream: past E no suffix is left
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808Ki", "9223372036854775807"},
      {"16Ei", "9223372036854775807"},
      {"5E", "5E"},
      {"1.G", "1.G"},
      {".5", "500m"},
      {"100.035k", "100.035k"},
  };
  for (const auto& [in, want] : cases) {
    auto q = Quantity::Parse(in);
    ASSERT_TRUE(q) << in;
    EXPECT_EQ(q->ToString(), want) << in;
  }
}

TEST(QuantityTest, TextThatIsNoQuantityIsRefusedWithItsReason) {
  const std::string_view format =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  EXPECT_EQ(Quantity::Parse("").error(), format);
  EXPECT_EQ(Quantity::Parse("1 Gi").error(), format);
  EXPECT_EQ(Quantity::Parse("abc").error(), format);
  EXPECT_EQ(Quantity::Parse("1Kii").error(), "unable to parse quantity's suffix");
  EXPECT_EQ(Quantity::Parse("1ki").error(), "unable to parse quantity's suffix");
  EXPECT_EQ(Quantity::Parse("1e999999999").error(), "unable to parse quantity's suffix");
}

TEST(QuantityTest, ComparesAcrossSuffixes) {
  EXPECT_EQ(Q("1Ki"), Q("1024"));
  EXPECT_EQ(Q("1000m"), Q("1"));
  EXPECT_LT(Q("999m"), Q("1"));
  EXPECT_LT(Q("-1"), Q("0"));
  EXPECT_LT(Q("1E"), Q("1Ei"));
  EXPECT_LT(Q("1e30"), Q("1e31"));
  EXPECT_EQ(Q("0Gi").Compare(Q("0")), 0);
}

TEST(QuantityTest, AddsAndSubtractsExactly) {
  Quantity q;
  q.Add(Q("512Mi"));
  q.Add(Q("512Mi"));
  EXPECT_EQ(q.ToString(), "1Gi");
  q.Sub(Q("1"));
  EXPECT_EQ(q.ToString(), "1073741823");
  q = Q("9223372036854775807");
  q.Add(Q("1"));
  EXPECT_EQ(q.ToString(), "9223372036854775808");
  q.Sub(Q("1"));
  EXPECT_EQ(q.Value(), 9223372036854775807);
  q = Q("100000000000000000000");
  q.Sub(Q("100000000000000000001n"));
  EXPECT_EQ(q.ToString(), "99999999899999999999999999999n");
  q.Sub(Q("200000000000000000000"));
  EXPECT_EQ(q.Sign(), -1);
  q.Negate();
  EXPECT_EQ(q.ToString(), "100000000100000000000000000001n");
}

TEST(QuantityTest, ValuesRoundAwayFromZero) {
  EXPECT_EQ(Q("1500m").Value(), 2);
  EXPECT_EQ(Q("-1500m").Value(), -2);
  EXPECT_EQ(Q("1500m").MilliValue(), 1500);
  EXPECT_EQ(Q("1n").MilliValue(), 1);
  EXPECT_EQ(Q("2Ki").Value(), 2048);
  EXPECT_EQ(Q("1e30").Value(), 0);
}

}  // namespace
}  // namespace keelson::api
