// What comes from outside to tracing: configuration files, and the answers of collectors.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/tracing_config.h"
#include "tracing/otlp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = keelson::app::ParseTracingConfig(text);
  if (!config && config.error().empty()) std::abort();
  if (config && config->collector.unix_path.empty() &&
      (config->collector.host.empty() || config->collector.port == 0))
    std::abort();
  if (config && (config->sampling_rate_per_million < 0 || config->sampling_rate_per_million > 1'000'000))
    std::abort();
  (void)keelson::tracing::DecodeExported(text);
  return 0;
}
