#include "app/tracing.h"

#include <utility>

#include "base/file.h"

namespace keelson::app {
namespace {

constexpr std::chrono::seconds kFlushTimeout{5};

}  // namespace

base::Result<std::unique_ptr<Tracing>, std::string> Tracing::Make(const std::filesystem::path& file,
                                                                  std::string instance,
                                                                  base::Metrics& metrics) {
  if (file.empty()) return nullptr;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    return base::Err("tracing-config-file " + file.string() + " does not exist");
  const auto text = base::ReadFile(file);
  if (!text)
    return base::Err("failed to read tracing config: unable to read tracing configuration from \"" +
                     file.string() + "\": " + text.error());
  auto config = TRY(ParseTracingConfig(*text));
  return std::make_unique<Tracing>(std::move(config), std::move(instance), metrics);
}

Tracing::Tracing(TracingConfig config, std::string instance, base::Metrics& metrics)
    : exporter_({.target = std::move(config.collector),
                 .resource = {.service_name = "apiserver", .instance_id = std::move(instance)}},
                metrics),
      filter_(tracing::Sampler(config.sampling_rate_per_million), exporter_) {}

void Tracing::Flush() { exporter_.Flush(kFlushTimeout); }

}  // namespace keelson::app
