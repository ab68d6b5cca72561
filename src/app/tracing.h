// Tracing: the parts by which requests are traced, joined.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/tracing_config.h"
#include "base/metrics.h"
#include "server/filters/tracing.h"
#include "tracing/exporter.h"

namespace keelson::app {

class Tracing {
 public:
  // Null: `file` is empty, and nothing is traced. `instance`: the id of this server. Borrows `metrics`.
  static base::Result<std::unique_ptr<Tracing>, std::string> Make(const std::filesystem::path& file,
                                                                  std::string instance,
                                                                  base::Metrics& metrics);

  Tracing(TracingConfig config, std::string instance, base::Metrics& metrics);

  const server::TracingFilter& filter() const { return filter_; }
  // Sends the spans that are still queued; called before the server ends.
  void Flush();

 private:
  tracing::Exporter exporter_;
  const server::TracingFilter filter_;
};

}  // namespace keelson::app
