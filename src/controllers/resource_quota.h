// ResourceQuotas: the status of a quota says how much of it is used.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "client/collection.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"
#include "controllers/quota_usage.h"

namespace keelson::controllers {

// Borrows all.
class ResourceQuotas final : public Controller {
 public:
  // What can be counted, by group and resource: quotas themselves included.
  using Collections = std::map<std::pair<std::string, std::string>, client::Collection*>;

  ResourceQuotas(client::Collection& quotas, Collections counted, base::Executor& loop,
                 const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;

  // Changes of a namespace are gathered for this long before its quotas are counted anew.
  static constexpr std::chrono::milliseconds kGather{100};

 private:
  void WatchContents();
  void CountLater(std::string ns);
  base::Task<bool> CountNamespace(std::string ns);
  base::Task<client::Collection::Result<void>> CountQuota(const std::string& ns, const api::Doc& quota);
  // Adds up what the objects of `resource` use.
  base::Task<client::Collection::Result<Usage>> Sum(const std::string& ns, const api::Doc& quota,
                                                    std::string resource);

  client::Collection& quotas_;
  const Collections counted_;
  base::Executor& loop_;
  const base::Clock& clock_;
  bool watches_contents_ = false;
  std::set<std::string, std::less<>> limited_;    // namespaces that have had quotas
  std::set<std::string, std::less<>> gathering_;  // those that will be counted
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
