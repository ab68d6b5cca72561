#include "app/health.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "base/log_writer.h"

namespace keelson::app {
namespace {

using Health = base::Result<void, std::string>;

constexpr const char* kLoading = "the store is being loaded";

Health FailsWhile(bool bad, const char* reason) {
  if (bad) return base::Err(std::string(reason));
  return {};
}

// A store that is being loaded is not asked.
server::HealthChecks::Check StoreCheck(std::function<const storage::Backend*()> backend) {
  return [backend = std::move(backend)]() -> Health {
    const storage::Backend* const store = backend();
    if (!store) return {};
    if (const auto healthy = store->Health(); !healthy) return base::Err(healthy.error().detail);
    return {};
  };
}

// A post-start hook of kube-apiserver, and the step of the start here that does its work. In upstream's
// order.
struct Hook {
  const char* name;
  StartStep step;
  bool HealthSources::* where = nullptr;  // there is such a hook; null: everywhere
};
constexpr Hook kHooks[] = {
    {"start-apiserver-admission-initializer", StartStep::kStoreLoaded},
    {"start-encryption-provider-config-automatic-reload", StartStep::kControllers,
     &HealthSources::encryption_reload},
    {"generic-apiserver-start-informers", StartStep::kStoreLoaded},
    {"priority-and-fairness-config-consumer", StartStep::kClusterBegun, &HealthSources::flow_control},
    {"priority-and-fairness-filter", StartStep::kStoreLoaded, &HealthSources::flow_control},
    {"storage-object-count-tracker-hook", StartStep::kStoreLoaded},
    {"start-apiextensions-informers", StartStep::kStoreLoaded},
    {"start-apiextensions-controllers", StartStep::kControllers},
    {"crd-informer-synced", StartStep::kStoreLoaded},
    {"start-system-namespaces-controller", StartStep::kClusterBegun},
    {"start-cluster-authentication-info-controller", StartStep::kControllers},
    {"start-kube-apiserver-identity-lease-controller", StartStep::kAggregation},
    {"start-kube-apiserver-identity-lease-garbage-collector", StartStep::kControllers},
    {"storage-readiness", StartStep::kStoreLoaded},
    {"start-legacy-token-tracking-controller", StartStep::kControllers},
    {"start-service-ip-repair-controllers", StartStep::kControllers},
    {"rbac/bootstrap-roles", StartStep::kClusterBegun},
    {"scheduling/bootstrap-system-priority-classes", StartStep::kClusterBegun},
    {"priority-and-fairness-config-producer", StartStep::kClusterBegun, &HealthSources::flow_control},
    {"bootstrap-controller", StartStep::kControllers},
    {"start-kubernetes-service-cidr-controller", StartStep::kClusterBegun},
    {"aggregator-reload-proxy-client-cert", StartStep::kControllers, &HealthSources::proxy_certificate},
    {"start-kube-aggregator-informers", StartStep::kAggregation},
    {"apiservice-status-local-available-controller", StartStep::kControllers},
    {"apiservice-status-remote-available-controller", StartStep::kAggregation},
    {"apiservice-registration-controller", StartStep::kAggregation},
    {"apiservice-discovery-controller", StartStep::kAggregation},
    {"kube-apiserver-autoregistration", StartStep::kControllers},
    {"apiservice-openapi-controller", StartStep::kAggregation},
    {"apiservice-openapiv3-controller", StartStep::kAggregation},
};
constexpr std::string_view kLastBeforeCompletion = "kube-apiserver-autoregistration";
constexpr std::chrono::minutes kLogPatience{2};

}  // namespace

void AddHealthChecks(HealthSources sources, server::HealthChecks& health) {
  using Scope = server::HealthChecks::Scope;
  const auto backend = std::move(sources.backend);
  const auto loaded = [backend] { return FailsWhile(!backend(), kLoading); };
  health.Add("ping", Scope::kAlways, [] { return Health(); });
  health.Add("log", Scope::kAlways,
             [] { return FailsWhile(base::LogBlockedFor() >= kLogPatience, "logging blocked"); });
  health.Add("etcd", Scope::kAlways, StoreCheck(backend), "etcd");
  health.Add("etcd-readiness", Scope::kReadiness, StoreCheck(backend), "etcd-readiness");
  for (size_t i = 0; i < sources.overrides.size(); ++i) {
    const std::string number = std::to_string(i);
    const auto store = StoreCheck(sources.overrides[i]);
    health.Add("etcd-override-" + number, Scope::kAlways, store, "etcd");
    health.Add("etcd-override-readiness-" + number, Scope::kReadiness, store, "etcd-readiness");
  }
  if (sources.key_services)
    health.Add("kms-providers", Scope::kNotLiveness, [backend, services = std::move(sources.key_services)] {
      return backend() ? services() : FailsWhile(true, kLoading);
    });
  health.Add("informer-sync", Scope::kReadiness, loaded);
  for (const Hook& hook : kHooks) {
    if (hook.where && !(sources.*hook.where)) continue;
    health.Add(
        "poststarthook/" + std::string(hook.name), Scope::kBootSequence,
        [started = sources.started, step = hook.step] { return FailsWhile(!started(step), "not finished"); });
    // Who waits for /healthz, as envtest does, goes on with requests at once.
    if (hook.name == kLastBeforeCompletion)
      health.Add("autoregister-completion", Scope::kBootSequence, [backend, registered = sources.registered] {
        return FailsWhile(!backend() || !registered(), "missing APIService");
      });
  }
  health.Add("shutdown", Scope::kReadiness, [shutting_down = std::move(sources.shutting_down)] {
    return FailsWhile(shutting_down(), "process is shutting down");
  });
}

}  // namespace keelson::app
