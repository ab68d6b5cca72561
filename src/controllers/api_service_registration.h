// ApiServiceRegistration: keeps an APIService for each group and version that this server serves itself. What
// is built in is registered once, at the start; what definitions define, for as long as they do. An
// APIService without the label that says so is somebody else's and left alone.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/types/doc.h"
#include "base/executor.h"
#include "base/task.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/controller.h"
#include "controllers/keyed_queue.h"

namespace keelson::controllers {

// Borrows all.
class ApiServiceRegistration final : public Controller {
 public:
  // `built_in`: the APIServices of what is built in, labelled.
  ApiServiceRegistration(const client::Client& client, std::vector<api::Doc> built_in, base::Executor& loop);

  void Start() override;
  void Stop() override;
  // Whether the APIService of everything that is built in has been right once. Any thread.
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  void Report(base::Metrics& metrics) override { queue_.ReportTo(metrics, "autoregister"); }

 private:
  using GroupVersion = std::pair<std::string, std::string>;

  void SeeDefinition(const client::Change& change);
  void SetVersions(const std::string& definition, std::set<GroupVersion> versions);
  void BeginWhenAllIsKnown();
  bool IsDefined(const std::string& name) const { return defined_.contains(name); }
  base::Task<bool> Sync(std::string name);
  // The APIService as it should be; empty: there should be none.
  api::Doc Wanted(const std::string& name) const;
  base::Task<bool> Create(std::string name);
  base::Task<bool> Correct(std::string name, api::Doc now);

  const client::Client& client_;
  client::Informer api_services_, definitions_;
  KeyedQueue queue_;
  std::map<std::string, api::Doc, std::less<>> built_in_;                     // by name
  std::map<std::string, std::set<GroupVersion>, std::less<>> by_definition_;  // what each serves
  std::map<std::string, std::pair<GroupVersion, int>, std::less<>> defined_;  // by name, and by how many
  std::set<std::string, std::less<>> unconfirmed_;  // definitions that were known before they are told anew
  std::set<std::string, std::less<>> at_start_;     // APIServices that were there before this began
  std::set<std::string, std::less<>> synced_;       // names that have been right once
  std::atomic<bool> complete_{false};
  bool services_known_ = false, definitions_known_ = false, begun_ = false;
};

}  // namespace keelson::controllers
