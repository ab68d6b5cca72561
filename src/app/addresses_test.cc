#include "app/addresses.h"

#include <gtest/gtest.h>

namespace keelson::app {
namespace {

TEST(AddressesTest, TheFirstServiceAddressFollowsTheNetworks) {
  EXPECT_EQ(FirstServiceAddress("10.0.0.0/24").value(), "10.0.0.1");
  EXPECT_EQ(FirstServiceAddress("10.96.3.7/12,fd00::/108").value(), "10.96.0.1");
  EXPECT_EQ(FirstServiceAddress("fd00:10:96::/112").value(), "fd00:10:96::1");
  EXPECT_EQ(FirstServiceAddress("10.0.0.5").error(), "invalid CIDR address: 10.0.0.5");
  EXPECT_EQ(FirstServiceAddress("10.0.0.0/33").error(), "invalid CIDR address: 10.0.0.0/33");
  EXPECT_EQ(FirstServiceAddress("x/8").error(), "invalid CIDR address: x/8");
  EXPECT_FALSE(FirstServiceAddress("10.0.0.0/31"));
}

TEST(AddressesTest, KnowsAddressesFromNames) {
  EXPECT_TRUE(IsIpAddress("127.0.0.1"));
  EXPECT_TRUE(IsIpAddress("::1"));
  EXPECT_FALSE(IsIpAddress("localhost"));
  EXPECT_TRUE(IsUnspecified("0.0.0.0"));
  EXPECT_TRUE(IsUnspecified("::"));
  EXPECT_FALSE(IsUnspecified("127.0.0.1"));
  EXPECT_TRUE(IsIpAddress(DefaultInterfaceAddress()));
}

TEST(AddressesTest, IPv6HostsStandInBrackets) {
  EXPECT_EQ(HostPort("127.0.0.1", 6443), "127.0.0.1:6443");
  EXPECT_EQ(HostPort("::1", 6443), "[::1]:6443");
}

TEST(AddressesTest, TheServerIsReachedByWhatItAdvertisesOrElseByWhatItListensOn) {
  Config config;
  config.bind_address = "192.0.2.1";
  EXPECT_EQ(AdvertisedHost(config), "192.0.2.1");
  config.advertise_address = "192.0.2.2";
  EXPECT_EQ(AdvertisedHost(config), "192.0.2.2");
}

TEST(AddressesTest, EndpointsNeverHaveALoopback) {
  Config config;
  config.advertise_address = "127.0.0.1";
  config.bind_address = "192.0.2.1";
  EXPECT_EQ(EndpointAddress(config), "192.0.2.1");
  config.advertise_address = "::1";
  EXPECT_EQ(EndpointAddress(config), "192.0.2.1");
  config.advertise_address = "192.0.2.2";
  EXPECT_EQ(EndpointAddress(config), "192.0.2.2");
}

}  // namespace
}  // namespace keelson::app
