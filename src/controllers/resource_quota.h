// ResourceQuotas: the status of a quota says how much of it is used.
//
// Admission adds what is created, before it is stored. So this counts anew only where less
// may be used than before, or something else is limited: a count in between would take back
// what was just charged. Once in a while it counts all the same, since what was charged may
// not have been stored in the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"
#include "quota/evaluator.h"

namespace keelson::controllers {

// Borrows all.
class ResourceQuotas final : public Controller {
 public:
  // Counts what resources there are in namespaces, quotas themselves and custom ones included. `loop` is the
  // one that the client's observers are told on.
  ResourceQuotas(const client::Client& client, base::Executor& loop,
                 const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "resourcequota_primary");
    second_looks_.ReportTo(metrics, "resourcequota_second_looks");
    changed_quotas_.ReportTo(metrics, "resourcequota_priority");
    changed_pods_.ReportTo(metrics, "resource_quota_controller_resource_changes");
  }

  // Changes of a namespace are gathered for this long before its quotas are counted anew.
  static constexpr std::chrono::milliseconds kGather{100};
  // A quota that is new is counted once more after this long: what was on its way to the
  // store then was neither charged nor counted.
  static constexpr std::chrono::seconds kSecondLook{1};
  // All are counted anew this often.
  static constexpr std::chrono::minutes kResync{5};

 private:
  // A resource comes, is replaced or goes.
  void OnSource(const client::SourcePtr& now, const client::SourcePtr& was);
  void WatchContents();
  void WatchContents(client::Informer& informer);
  void ResyncLater();
  void CountLater(std::string ns);
  void CountNew(std::string ns);
  // What changed is named "namespace/name".
  base::Task<bool> LookAtQuota(std::string key);
  base::Task<bool> LookAtPod(std::string key);
  // Charges for what is not stored yet are taken back by a count, but not by a second look.
  enum class Look : uint8_t { kCount, kSecond };
  base::Task<bool> CountNamespace(std::string ns, Look look);
  base::Task<client::Result<void>> CountQuota(const std::string& ns, const api::Doc& quota, Look look);
  // Whether the resource is among what is counted.
  bool Counts(api::GroupResource resource) const;
  // Adds up what the objects of a resource use.
  base::Task<client::Result<quota::Usage>> Sum(const std::string& ns, const api::Doc& quota,
                                               api::GroupResource resource);

  const client::Client& client_;
  client::Informer quotas_;
  std::map<const client::Source*, std::unique_ptr<client::Informer>> counted_;
  base::Executor& loop_;
  const base::Clock& clock_;
  bool watches_contents_ = false;
  std::set<std::string, std::less<>> limited_;    // namespaces that have had quotas
  std::set<std::string, std::less<>> gathering_;  // those that will be counted
  uint64_t run_ = 0;                              // counts Start and Stop
  KeyedQueue queue_, second_looks_;               // namespaces
  KeyedQueue changed_quotas_, changed_pods_;
};

}  // namespace keelson::controllers
