// Availability: finds out whether the backends of APIServices can be reached and says so in their status, as
// upstream does: its service must be there with the port and a ready endpoint, and of five requests for its
// discovery document one must be answered.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "aggregator/api_service_table.h"
#include "aggregator/backends.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/metrics.h"
#include "base/task.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::aggregator {

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class Availability final : public controllers::Controller {
 public:
  struct Options {
    const client::Client& client;
    ApiServiceTable& table;  // that has not been started yet
    Backends& backends;
    base::Executor& loop;
    base::Metrics& metrics;
    const base::Clock& clock = base::Clock::Real();
  };
  explicit Availability(const Options& options);
  ~Availability() override;

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "RemoteAvailabilityController"); }

  // How often backends are looked at when nothing changes.
  static constexpr std::chrono::seconds kInterval{30};
  static constexpr std::chrono::seconds kTimeout{5};  // of a request
  static constexpr int kAttempts = 5;

 private:
  struct Verdict {
    std::string status, reason, message;
    bool ask_again = false;  // soon, and not after the interval
  };
  struct Attempts;

  void See(const std::string& name);
  // Looks at every APIService whose service this is.
  void SeeService(std::string_view ns, std::string_view name);
  void Again(uint64_t run);
  base::Task<bool> Sync(std::string name);
  base::Task<Verdict> Judge(ApiServicePtr service);
  // Why the service cannot be asked: it, its port or its endpoints are missing. An empty reason: it can be.
  base::Task<Verdict> JudgeService(ApiServicePtr service);
  base::Task<std::string> AskSeveralTimes(ApiServicePtr service);
  base::Task<void> AskOnce(ApiServicePtr service, std::shared_ptr<Attempts> attempts);
  base::Task<bool> Write(std::string name, Verdict verdict);
  void Show(const std::string& name, bool unavailable);
  void Forget(const std::string& name);

  const Options options_;
  client::Informer services_, slices_;
  controllers::KeyedQueue queue_;
  using ServiceName = std::pair<std::string, std::string>;      // namespace and name
  std::map<ServiceName, std::set<std::string>> referrers_;      // the APIServices of a service
  std::map<std::string, ServiceName, std::less<>> references_;  // the service of an APIService
  std::map<std::string, std::shared_ptr<std::atomic<bool>>, std::less<>> unavailable_;  // for the metrics
  bool active_ = false, following_ = false;
  uint64_t run_ = 0;
};

}  // namespace keelson::aggregator
