#include "api/validation/ip.h"

#include <gtest/gtest.h>

namespace keelson::api {
namespace {

TEST(IpTest, CanonicalFormOfWhatParses) {
  struct Case {
    std::string_view in, out;
  };
  constexpr Case kCases[] = {
      {"1.2.3.4", "1.2.3.4"},
      {"010.002.003.004", "10.2.3.4"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"FE80:0:0:0:0:0:0:0abc", "fe80::abc"},
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"::ffff:1.2.3.4", "1.2.3.4"},
      {"64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"0:0:1::", "0:0:1::"},
  };
  for (const Case& c : kCases) {
    const auto ip = ParseIp(c.in);
    ASSERT_TRUE(ip) << c.in;
    EXPECT_EQ(ip->ToString(), c.out) << c.in;
  }
}

TEST(IpTest, RefusesWhatIsNoAddress) {
  for (std::string_view s : {"",
                             "1",
                             "1.2.3",
                             "1.2.3.4.5",
                             "1.2.3.256",
                             "1.2.3.",
                             ".1.2.3",
                             "a.b.c.d",
                             "1.2.3.4 ",
                             ":",
                             ":::",
                             "1:",
                             ":1",
                             "1::2::3",
                             "1:2:3:4:5:6:7",
                             "1:2:3:4:5:6:7:8:9",
                             "1:2:3:4:5:6:7:8::",
                             "12345::",
                             "g::",
                             "fe80::1%eth0",
                             "1:1.2.3.4",
                             "::1.2.3.4:5"}) {
    EXPECT_FALSE(ParseIp(s)) << s;
  }
}

TEST(IpTest, Classes) {
  EXPECT_TRUE(ParseIp("127.3.2.1")->loopback());
  EXPECT_TRUE(ParseIp("::1")->loopback());
  EXPECT_TRUE(ParseIp("0.0.0.0")->unspecified());
  EXPECT_TRUE(ParseIp("::")->unspecified());
  EXPECT_TRUE(ParseIp("169.254.1.1")->link_local_unicast());
  EXPECT_TRUE(ParseIp("fe80::1")->link_local_unicast());
  EXPECT_TRUE(ParseIp("224.0.0.1")->link_local_multicast());
  EXPECT_TRUE(ParseIp("ff02::1")->link_local_multicast());
  EXPECT_FALSE(ParseIp("10.0.0.1")->loopback());
}

TEST(IpTest, ValidationSaysWhatIsWrong) {
  const field::Path p("ip");
  EXPECT_TRUE(ValidateIp(p, "10.0.0.1").empty());
  EXPECT_TRUE(ValidateIp(p, "FE80::1").empty());
  EXPECT_EQ(ValidateIp(p, "x").Aggregate(),
            "ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  EXPECT_EQ(ValidateIp(p, "010.0.0.1").Aggregate(),
            "ip: Invalid value: \"010.0.0.1\": must not have leading 0s");
  EXPECT_EQ(ValidateIp(p, "::ffff:1.2.3.4").Aggregate(),
            "ip: Invalid value: \"::ffff:1.2.3.4\": must not be an IPv4-mapped IPv6 address");
}

TEST(CidrTest, ValidationSaysWhatIsWrong) {
  const field::Path p("cidr");
  EXPECT_TRUE(ValidateCidr(p, "10.0.0.0/8").empty());
  EXPECT_TRUE(ValidateCidr(p, "2001:db8::/64").empty());
  EXPECT_TRUE(ValidateCidr(p, "::/0").empty());
  for (std::string_view bad : {"", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8a", "/8"}) {
    EXPECT_NE(ValidateCidr(p, bad).Aggregate().find(
                  "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(
      ValidateCidr(p, "10.0.0.0/08").Aggregate().find("must not have leading 0s in IP or prefix length"),
      std::string::npos);
  EXPECT_NE(ValidateCidr(p, "10.0.0.1/8").Aggregate().find("must not have bits set beyond the prefix length"),
            std::string::npos);
  EXPECT_NE(
      ValidateCidr(p, "::ffff:1.2.3.0/120").Aggregate().find("must not have an IPv4-mapped IPv6 address"),
      std::string::npos);
}

TEST(CidrTest, ContainsWhatStartsWithItsPrefix) {
  struct Case {
    const char *cidr, *ip;
    bool contains;
  };
  const Case cases[] = {
      {"192.0.2.0/24", "192.0.2.128", true},
      {"192.0.2.0/24", "192.0.3.1", false},
      {"10.0.0.0/8", "10.255.0.1", true},
      {"0.0.0.0/0", "1.2.3.4", true},
      {"1.2.3.4/32", "1.2.3.5", false},
      {"2001:db8::/32", "2001:db8:1::1", true},
      {"2001:db8::/32", "2001:db9::1", false},
      {"0.0.0.0/0", "2001:db8::1", false},
      {"::/0", "1.2.3.4", false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(ParseCidr(c.cidr)->Contains(*ParseIp(c.ip)), c.contains) << c.cidr << " " << c.ip;
}

TEST(CidrTest, IsWrittenWithoutWhatIsBeyondThePrefix) {
  EXPECT_EQ(ParseCidr("192.0.2.77/24")->ToString(), "192.0.2.0/24");
  EXPECT_EQ(ParseCidr("2001:DB8:0::1/64")->ToString(), "2001:db8::/64");
}

}  // namespace
}  // namespace keelson::api
