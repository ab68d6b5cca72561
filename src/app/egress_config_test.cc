#include "app/egress_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::app {
namespace {

using ::testing::HasSubstr;

std::string EgressFile(const std::string& selections) {
  return R"({"kind":"EgressSelectorConfiguration","apiVersion":"apiserver.k8s.io/v1beta1","egressSelections":[)" +
         selections + "]}";
}
std::string EgressError(const std::string& selections) {
  const auto parsed = ParseEgressConfig(EgressFile(selections));
  return parsed ? "no error" : parsed.error();
}

TEST(EgressConfigTest, TheFileOfK3sLeadsToAProxyByTls) {
  const auto config = ParseEgressConfig(EgressFile(
      R"({"name":"cluster","connection":{"proxyProtocol":"HTTPConnect","transport":{"tcp":{"url":"https://127.0.0.1:6443",)"
      R"("tlsConfig":{"caBundle":"/ca","clientKey":"/key","clientCert":"/cert"}}}}})"));
  ASSERT_TRUE(config) << config.error();
  ASSERT_TRUE(config->cluster);
  EXPECT_EQ(config->cluster->host, "127.0.0.1");
  EXPECT_EQ(config->cluster->port, 6443);
  EXPECT_TRUE(config->cluster->tls);
  EXPECT_EQ(config->cluster->ca_bundle, "/ca");
  EXPECT_EQ(config->cluster->client_key, "/key");
}

TEST(EgressConfigTest, DirectIsNoProxy) {
  const auto config = ParseEgressConfig(
      "apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n"
      "- name: cluster\n  connection: {proxyProtocol: Direct}\n- name: etcd\n  connection: {proxyProtocol: "
      "Direct}\n");
  ASSERT_TRUE(config) << config.error();
  EXPECT_FALSE(config->cluster);
}

TEST(EgressConfigTest, WhatIsNotSupportedIsNamed) {
  EXPECT_THAT(EgressError(R"({"name":"moon","connection":{"proxyProtocol":"Direct"}})"),
              HasSubstr("\"moon\""));
  EXPECT_THAT(
      EgressError(
          R"({"name":"cluster","connection":{"proxyProtocol":"GRPC","transport":{"uds":{"udsName":"/s"}}}})"),
      HasSubstr("\"GRPC\" is not supported"));
  EXPECT_THAT(
      EgressError(
          R"({"name":"etcd","connection":{"proxyProtocol":"HTTPConnect","transport":{"tcp":{"url":"http://a:1"}}}})"),
      HasSubstr("only connections to the cluster"));
  EXPECT_THAT(
      EgressError(
          R"({"name":"cluster","connection":{"proxyProtocol":"HTTPConnect","transport":{"tcp":{"url":"ftp://a"}}}})"),
      HasSubstr("is not http://host:port"));
  EXPECT_THAT(
      EgressError(
          R"({"name":"cluster","connection":{"proxyProtocol":"HTTPConnect","transport":{"tcp":{"url":"https://a"}}}})"),
      HasSubstr("https needs a tlsConfig"));
  EXPECT_FALSE(ParseEgressConfig("kind: Config"));
}

}  // namespace
}  // namespace keelson::app
