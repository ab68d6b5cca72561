// ApiServiceTable: follows the APIServices and says which requests are for others.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/api_service.h"
#include "base/executor.h"
#include "base/published.h"
#include "base/task.h"
#include "client/client.h"
#include "client/informer.h"

namespace keelson::aggregator {

// Threads: everything on `loop`, unless it says otherwise. Borrows all; outlives the loop's running.
class ApiServiceTable {
 public:
  // `name`: of the APIService that came, changed or went.
  using Observer = std::function<void(const std::string& name)>;
  using All = std::map<std::string, ApiServicePtr, std::less<>>;  // by name

  ApiServiceTable(const client::Client& client, base::Executor& loop);

  // Before Start.
  void Observe(Observer observer) { observers_.push_back(std::move(observer)); }
  void Start();
  // Resumes once everything that was acknowledged before the call is known here. Any loop.
  base::Task<void> CatchUp() { return informer_.CatchUp(); }

  const All& all() const { return all_; }
  ApiServicePtr Find(std::string_view name) const;

  // The APIService with a backend that a request for `path` is for; null: this server serves it. Any thread.
  ApiServicePtr Route(std::string_view path) const;

 private:
  struct Routes final : base::Publishable<Routes> {
    std::map<std::string, ApiServicePtr, std::less<>> by_path;
  };
  void See(const client::Change& change);
  void Set(const std::string& name, ApiServicePtr service);
  void Publish();

  client::Informer informer_;
  std::vector<Observer> observers_;
  All all_;
  All backed_;             // those of all_ that have a backend
  All unconfirmed_;        // known before what is told anew
  bool rerouted_ = false;  // backed_ has changed since it was published
  base::Published<Routes> routes_{new Routes()};
};

}  // namespace keelson::aggregator
