// CrdController: accepts the names that CustomResourceDefinitions ask for, unless another one
// of the group has them already, and establishes those whose names are accepted once they can be served.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class CrdController final : public Controller {
 public:
  // Who serves what definitions define. All may be empty: then there is nobody to wait for.
  struct Serving {
    // Whether what the definition of that name and uid defines can be served by now.
    std::function<bool(std::string_view name, std::string_view uid)> ready;
    // Around the write that establishes it: just before, and when it is through or has failed.
    std::function<void(std::string_view name)> begin;
    std::function<void(std::string_view name, std::string_view uid, bool established)> end;
  };
  CrdController(const client::Client& client, base::Executor& loop, Serving serving = {},
                const base::Clock& clock = base::Clock::Real());

  void Start() override;
  void Stop() override;
  void Report(base::Metrics& metrics) override {
    queue_.ReportTo(metrics, "crd_naming_condition_controller");
  }
  // Called when the custom resources of a definition can be served from now on, or no longer.
  void LookAgain(std::string_view name) { Add(std::string(name)); }

 private:
  base::Task<bool> SyncPending();
  base::Task<bool> Sync(std::string name);
  void Add(std::string name);
  // What is known of the other definitions, kept up to date by what is looked at: there may be thousands.
  struct Known {
    std::string group;
    std::vector<std::string> resources, kinds;  // that it has
    bool waits = false;                         // for names that others have
  };
  static Known KnownOf(const api::Doc& definition);
  base::Task<bool> LearnAll();
  void Learn(const std::string& name, Known known);
  // A name may have become free: those of the group that wait for one are looked at again.
  void LookAtWaiting(std::string_view group, std::string_view except);

  const client::Client& client_;
  client::Informer definitions_;
  const Serving serving_;
  std::set<std::string> pending_;                    // one after the other: names are given to one only
  std::map<std::string, Known, std::less<>> known_;  // by name
  std::map<std::string, std::set<std::string>, std::less<>> groups_;  // names by group
  bool learned_ = false;
  const base::Clock& clock_;
  KeyedQueue queue_;
};

}  // namespace keelson::controllers
