#include "app/periodic_work.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace keelson::app {
namespace {

constexpr std::chrono::seconds kClusterInterval{60};
constexpr std::chrono::seconds kAnnounceInterval{10};
constexpr std::chrono::hours kExpiredServersInterval{1};
constexpr std::chrono::minutes kServiceRepairInterval{3};
constexpr std::chrono::minutes kConsistencyInterval{5};
constexpr std::chrono::seconds kReloadInterval{5};
constexpr std::chrono::seconds kForgetInterval{15};

// A failure is told and tried again with the next run.
base::Task<void> Logged(std::string_view what, base::Task<base::Result<void, std::string>> task) {
  const auto done = co_await std::move(task);
  if (!done) base::Log(base::LogLevel::kWarning, what, {{"why", done.error()}});
}

base::Task<void> Measure(std::function<base::Task<std::optional<int64_t>>()> bytes, size_t number,
                         base::Metrics& metrics) {
  const auto now = co_await bytes();
  if (!now) co_return;  // what it was last still stands
  metrics
      .GetGauge("apiserver_storage_size_bytes", "Bytes of the store on the disk.",
                {{"storage_cluster_id", "etcd-" + std::to_string(number)}})
      .Set(*now);
}

}  // namespace

PeriodicWork::PeriodicWork(Options options)
    : consistency_checker_(std::move(options.caches), options.metrics, kConsistencyInterval) {
  base::Executor& loop = options.loop;
  jobs_.emplace_back(loop, kClusterInterval,
                     [&cluster = options.cluster] { return Logged("system objects", cluster.Keep()); });
  jobs_.emplace_back(loop, kAnnounceInterval, [&kubernetes = options.kubernetes] {
    return Logged("service kubernetes", kubernetes.Announce());
  });
  jobs_.emplace_back(loop, kAnnounceInterval, [&identity = options.identity] {
    return Logged("lease of this server", identity.Renew());
  });
  if (options.peer_address)
    jobs_.emplace_back(loop, kAnnounceInterval, [&address = *options.peer_address] {
      return Logged("where other servers find this one", address.Announce());
    });
  jobs_.emplace_back(loop, kExpiredServersInterval, [&identity = options.identity] {
    return Logged("leases of servers that are gone", identity.RemoveExpired());
  });
  jobs_.emplace_back(loop, kServiceRepairInterval, [&services = options.services] {
    return Logged("addresses and ports of services", services.Repair());
  });
  jobs_.emplace_back(loop, kForgetInterval,
                     [forget = std::move(options.forget_old_events)]() -> base::Task<void> {
                       forget();
                       co_return;
                     });
  for (Periodic::Job& reload : options.reloads) jobs_.emplace_back(loop, kReloadInterval, std::move(reload));
  if (options.compaction_interval.count() > 0)
    for (Periodic::Job& compact : options.compactions)
      jobs_.emplace_back(loop, options.compaction_interval, std::move(compact));
  if (options.database_interval.count() <= 0) return;
  for (size_t i = 0; i < options.database_bytes.size(); ++i) {
    const auto measure = [bytes = options.database_bytes[i], i, &metrics = options.metrics] {
      return Measure(bytes, i, metrics);
    };
    loop.Post([measure] { base::Spawn(measure()); });
    jobs_.emplace_back(loop, options.database_interval, measure);
  }
}

}  // namespace keelson::app
