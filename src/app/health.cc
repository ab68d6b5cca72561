#include "app/health.h"

#include <utility>

namespace keelson::app {
namespace {

using Health = base::Result<void, std::string>;

constexpr const char* kLoading = "the store is being loaded";

Health FailsWhile(bool bad, const char* reason) {
  if (bad) return base::Err(std::string(reason));
  return {};
}

}  // namespace

void AddHealthChecks(HealthSources sources, server::HealthChecks& health) {
  using Scope = server::HealthChecks::Scope;
  const auto backend = std::move(sources.backend);
  const auto stores = [backend]() -> Health {
    const storage::Backend* const store = backend();
    if (!store) return {};
    if (const auto healthy = store->Health(); !healthy) return base::Err(healthy.error().detail);
    return {};
  };
  health.Add("ping", Scope::kAlways, [] { return Health(); });
  health.Add("etcd", Scope::kAlways, stores);
  health.Add("etcd-readiness", Scope::kReadiness, stores);
  if (sources.key_services)
    health.Add("kms-providers", Scope::kNotLiveness, [backend, services = std::move(sources.key_services)] {
      return backend() ? services() : FailsWhile(true, kLoading);
    });
  // Who waits for /healthz, as envtest does, goes on with requests at once.
  health.Add("poststarthook/bootstrap-controller", Scope::kNotLiveness,
             [backend] { return FailsWhile(!backend(), kLoading); });
  health.Add("informer-sync", Scope::kReadiness, [backend] { return FailsWhile(!backend(), kLoading); });
  health.Add("shutdown", Scope::kReadiness, [shutting_down = std::move(sources.shutting_down)] {
    return FailsWhile(shutting_down(), "process is shutting down");
  });
}

}  // namespace keelson::app
