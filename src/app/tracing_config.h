// TracingConfig: which requests are traced and where their spans go, by --tracing-config-file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/grpc/channel.h"

namespace keelson::app {

struct TracingConfig {
  net::grpc::Target collector{.host = "localhost", .port = 4317};
  int32_t sampling_rate_per_million = 0;
};

// Reads a TracingConfiguration of apiserver.config.k8s.io, YAML or JSON. Errors are upstream's.
base::Result<TracingConfig, std::string> ParseTracingConfig(std::string_view text);

}  // namespace keelson::app
