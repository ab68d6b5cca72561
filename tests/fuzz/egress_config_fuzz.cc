// EgressSelectorConfiguration files.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/egress_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config =
      keelson::app::ParseEgressConfig(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config && config.error().empty()) std::abort();
  if (config && config->cluster && (config->cluster->host.empty() || config->cluster->port == 0))
    std::abort();
  return 0;
}
