// EgressConfig: how connections into the cluster are made, by --egress-selector-config-file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::app {

// A proxy that makes connections for us when it is asked by HTTP (CONNECT).
struct EgressProxy {
  std::string host;
  uint16_t port = 0;
  bool tls = true;
  std::filesystem::path ca_bundle, client_cert,
      client_key;  // of TLS; each may be empty, the pair only as one
};

struct EgressConfig {
  std::optional<EgressProxy> cluster;  // to kubelets, pods and services; nothing: directly
};

// Reads an EgressSelectorConfiguration, YAML or JSON. Only the selection `cluster` may have a proxy, and that
// by HTTPConnect over TCP; anything else but Direct is an error that names it.
base::Result<EgressConfig, std::string> ParseEgressConfig(std::string_view text);

}  // namespace keelson::app
