// The flags of etcd, as far as a cluster of one member that is no cluster can mean them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace keelson::cmd {

struct EtcdConfig {
  std::string name = "default";
  std::string bind_address = "127.0.0.1";
  uint16_t port = 2379;  // 0: any free one
  std::vector<std::string> advertise_client_urls, peer_urls;
  std::filesystem::path data_dir;  // empty: everything is kept in memory
  size_t max_txn_ops = 128;
  size_t max_request_bytes = 3 << 19;
  std::chrono::nanoseconds progress_interval = std::chrono::minutes(10);
};

struct ParsedEtcd {
  EtcdConfig config;
  std::string help;  // not empty: print it and end
};

// The error is ready to be printed.
base::Result<ParsedEtcd, std::string> ParseEtcdFlags(std::span<const std::string> args);

}  // namespace keelson::cmd
