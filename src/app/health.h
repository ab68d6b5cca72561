// The checks behind /healthz, /livez and /readyz, by upstream's names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/start_progress.h"
#include "base/result.h"
#include "server/routes/health.h"
#include "storage/backend.h"

namespace keelson::app {

// Whom the checks ask, from any loop.
struct HealthSources {
  std::function<const storage::Backend*()> backend;  // null while the store is being loaded
  // The stores of overrides by their numbers, likewise.
  std::vector<std::function<const storage::Backend*()>> overrides = {};
  // Asked once the store is loaded. Empty: there are no key services.
  std::function<base::Result<void, std::string>()> key_services;
  std::function<bool()> shutting_down;
  std::function<bool(StartStep)> started;
  std::function<bool()> registered;  // the APIServices of what is built in. Asked once the store is loaded.
  bool flow_control = true;          // it is switched on
  bool proxy_certificate = false;    // aggregated APIs are shown one that is followed
  bool encryption_reload = false;    // its configuration is followed
};

void AddHealthChecks(HealthSources sources, server::HealthChecks& health);

}  // namespace keelson::app
