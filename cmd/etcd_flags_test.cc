#include "cmd/etcd_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<ParsedEtcd, std::string> ParseEtcd(const std::vector<std::string>& args) {
  return ParseEtcdFlags(args);
}
std::string EtcdError(const std::vector<std::string>& args) {
  const auto parsed = ParseEtcd(args);
  return parsed ? "no error" : parsed.error();
}

TEST(EtcdFlagsTest, TheFlagsThatEnvtestGivesAreTaken) {
  const auto parsed = ParseEtcd({"--advertise-client-urls=http://127.0.0.1:34567", "--data-dir=/tmp/d",
                                 "--listen-client-urls=http://127.0.0.1:34567",
                                 "--listen-peer-urls=http://localhost:0", "--unsafe-no-fsync=true"});
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->config.bind_address, "127.0.0.1");
  EXPECT_EQ(parsed->config.port, 34567);
  EXPECT_THAT(parsed->config.advertise_client_urls, ElementsAre("http://127.0.0.1:34567"));
  EXPECT_EQ(parsed->config.data_dir, "");  // what may be lost is kept in memory
}

TEST(EtcdFlagsTest, TheDefaultsAreEtcds) {
  const EtcdConfig config = ParseEtcd({})->config;
  EXPECT_EQ(config.bind_address, "127.0.0.1");
  EXPECT_EQ(config.port, 2379);
  EXPECT_EQ(config.name, "default");
  EXPECT_EQ(config.max_txn_ops, 128U);
  EXPECT_EQ(config.max_request_bytes, 1572864U);
  EXPECT_EQ(config.progress_interval, std::chrono::minutes(10));
  EXPECT_EQ(ParseEtcd({"--data-dir=/tmp/d"})->config.data_dir, "/tmp/d");
  EXPECT_EQ(ParseEtcd({"--data-dir", "/tmp/d", "--unsafe-no-fsync=false"})->config.data_dir, "/tmp/d");
}

TEST(EtcdFlagsTest, WhatASingleMemberCannotMeanIsRefused) {
  EXPECT_THAT(EtcdError({"--listen-client-urls=https://127.0.0.1:1"}), HasSubstr("only http://"));
  EXPECT_THAT(EtcdError({"--listen-client-urls=http://127.0.0.1"}), HasSubstr("not http://host:port"));
  EXPECT_THAT(EtcdError({"--listen-client-urls=http://etcd.example:1"}), HasSubstr("an IP address"));
  EXPECT_THAT(EtcdError({"--listen-client-urls=http://127.0.0.1:1,http://[::1]:1"}),
              HasSubstr("one address"));
  EXPECT_THAT(EtcdError({"--initial-cluster-state=existing"}), HasSubstr("there is one member"));
  EXPECT_THAT(EtcdError({"--auto-compaction-retention=1h"}), HasSubstr("clients compact"));
  EXPECT_EQ(EtcdError({"--auto-compaction-retention=0"}), "no error");
  EXPECT_THAT(EtcdError({"--cert-file=x"}), HasSubstr("--cert-file"));
  EXPECT_EQ(ParseEtcd({"--listen-client-urls=http://[::1]:7"})->config.bind_address, "::1");
}

}  // namespace
}  // namespace keelson::cmd
