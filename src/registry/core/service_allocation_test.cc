// What services are given: families of addresses, cluster IPs, ports of nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/defaulting/defaulting.h"
#include "api/validation/testing/json_doc.h"
#include "registry/core/port_bitmap.h"
#include "registry/core/service_fields.h"
#include "registry/core/service_ports.h"

namespace keelson::registry::core {
namespace {

using api::Doc;
using api::core_v1::ServiceEditor;
using api::core_v1::ServiceView;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr IpFamilies kSingle{.primary_v4 = true, .dual = false};
constexpr IpFamilies kDual{.primary_v4 = true, .dual = true};

Doc Service(std::string_view json) {
  Doc doc = api::testing::DocFromJson<ServiceView>(json);
  api::SetDefaults(doc);
  return doc;
}

std::vector<std::string> Families(const Doc& doc) {
  std::vector<std::string> families;
  for (const api::Value& family : ServiceView(doc).spec().ip_families())
    families.emplace_back(family.string());
  return families;
}

TEST(PortRangeTest, IsWrittenInTwoWays) {
  EXPECT_EQ(ParsePortRange("30000-32767"), (PortRange{30000, 32767}));
  EXPECT_EQ(ParsePortRange("30000+10"), (PortRange{30000, 30010}));
  EXPECT_EQ(ParsePortRange("5-4"), std::nullopt);
  EXPECT_EQ(ParsePortRange("x"), std::nullopt);
}

TEST(PortBitmapTest, BytesAreOneNumberWithTheFirstPortLowest) {
  PortBitmap ports({30000, 32767});
  EXPECT_EQ(ports.ToBytes(), "");
  ports.Take(30000);
  EXPECT_EQ(ports.ToBytes(), "\x01");
  ports.Take(30009);
  EXPECT_EQ(ports.ToBytes(), "\x02\x01");
  EXPECT_EQ(PortBitmap::FromBytes({30000, 32767}, ports.ToBytes()), ports);
}

TEST(PortBitmapTest, TheLowerPartIsGivenOutLast) {
  PortBitmap ports({100, 131});  // 16 of 32 are for those who choose
  const auto first_free = [](uint64_t) { return uint64_t{0}; };
  for (int i = 0; i < 16; ++i) EXPECT_EQ(ports.TakeNext(first_free), 116 + i);
  EXPECT_EQ(ports.TakeNext(first_free), 100);
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(ports.TakeNext(first_free));
  EXPECT_EQ(ports.TakeNext(first_free), std::nullopt);
}

TEST(IpFamiliesTest, AServiceHasTheClustersFamilyUnlessItSaysOtherwise) {
  Doc doc = Service(R"({"metadata":{"name":"s"},"spec":{"selector":{"a":"b"},"ports":[{"port":80}]}})");
  ASSERT_TRUE(InitIpFamilies(ServiceEditor(doc), ServiceView(), kDual));
  EXPECT_THAT(Families(doc), ElementsAre("IPv4"));
  EXPECT_EQ(ServiceView(doc).spec().ip_family_policy(), "SingleStack");
}

TEST(IpFamiliesTest, PreferringBothGivesBothWhereThereAreBoth) {
  constexpr std::string_view kPrefers =
      R"({"metadata":{"name":"s"},"spec":{"ipFamilyPolicy":"PreferDualStack","selector":{"a":"b"},"ports":[{"port":80}]}})";
  Doc in_dual = Service(kPrefers), in_single = Service(kPrefers);
  ASSERT_TRUE(InitIpFamilies(ServiceEditor(in_dual), ServiceView(), kDual));
  ASSERT_TRUE(InitIpFamilies(ServiceEditor(in_single), ServiceView(), kSingle));
  EXPECT_THAT(Families(in_dual), ElementsAre("IPv4", "IPv6"));
  EXPECT_THAT(Families(in_single), ElementsAre("IPv4"));
}

TEST(IpFamiliesTest, RequiringBothIsRefusedWhereThereIsOne) {
  Doc doc = Service(
      R"({"metadata":{"name":"s"},"spec":{"ipFamilyPolicy":"RequireDualStack","selector":{"a":"b"},"ports":[{"port":80}]}})");
  const auto refused = InitIpFamilies(ServiceEditor(doc), ServiceView(), kSingle);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("this cluster is not configured for dual-stack services"));
}

TEST(IpFamiliesTest, WithoutASelectorAHeadlessServiceIsOfBoth) {
  Doc doc = Service(R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","clusterIPs":["None"]}})");
  ASSERT_TRUE(InitIpFamilies(ServiceEditor(doc), ServiceView(), kSingle));
  EXPECT_THAT(Families(doc), ElementsAre("IPv4", "IPv6"));
  EXPECT_EQ(ServiceView(doc).spec().ip_family_policy(), "RequireDualStack");
}

TEST(ServicePortsTest, PortsOfOneNumberShareAPortOfTheNodes) {
  const Doc doc = Service(
      R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"name":"t","port":53,"protocol":"TCP"},
          {"name":"u","port":53,"protocol":"UDP","nodePort":30053}]}})");
  PortBitmap ports({30000, 32767});
  const auto plan = PlanPorts(ServiceView(doc), ServiceView(), ports, false);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->node_ports, ElementsAre(30053, 30053));
  EXPECT_THAT(plan->taken, ElementsAre(30053));
  EXPECT_TRUE(ports.Has(30053));
}

TEST(ServicePortsTest, ATakenPortIsRefused) {
  const Doc doc = Service(
      R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":30001}]}})");
  PortBitmap ports({30000, 32767});
  ports.Take(30001);
  const auto plan = PlanPorts(ServiceView(doc), ServiceView(), ports, false);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message,
              HasSubstr("spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated"));
}

TEST(ServicePortsTest, ANewTypeGivesItsPortsUp) {
  const Doc was = Service(
      R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30002,
          "ports":[{"port":80,"nodePort":30001}]}})");
  const Doc now = Service(R"({"metadata":{"name":"s"},"spec":{"type":"ClusterIP","ports":[{"port":80}]}})");
  PortBitmap ports({30000, 32767});
  const auto plan = PlanPorts(ServiceView(now), ServiceView(was), ports, false);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->taken, IsEmpty());
  EXPECT_THAT(plan->given_up, ElementsAre(30001, 30002));
}

TEST(ServicePortsTest, ADryRunTakesNothing) {
  const Doc doc = Service(R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  PortBitmap ports({30000, 32767});
  const auto plan = PlanPorts(ServiceView(doc), ServiceView(), ports, true);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->node_ports, ElementsAre(32769));
  EXPECT_EQ(ports, PortBitmap({30000, 32767}));
}

}  // namespace
}  // namespace keelson::registry::core
