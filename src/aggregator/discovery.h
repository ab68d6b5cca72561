// Discovery: asks the backends of APIServices what they serve, in the background, and keeps what they said
// last. A backend that does not answer slows nobody down: its versions are told as they were, and as stale.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "aggregator/api_service_table.h"
#include "aggregator/backends.h"
#include "aggregator/discovery_document.h"
#include "base/executor.h"
#include "base/task.h"
#include "controllers/keyed_queue.h"
#include "endpoints/discovery/registered.h"

namespace keelson::aggregator {

// The version and its priorities, without what a backend serves.
endpoints::discovery::RegisteredVersion RegisteredFrom(const ApiService& service);

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class Discovery {
 public:
  struct Options {
    ApiServiceTable& table;  // that has not been started yet
    Backends& backends;
    base::Executor& loop;
    // The versions that are built in, for those whose APIService is absent.
    endpoints::discovery::Registered built_in;
    // Is told what is registered whenever that changes.
    std::function<void(endpoints::discovery::RegisteredPtr)> publish;
  };
  explicit Discovery(Options options);

  void Start();
  // Publishes what is known now; changes publish themselves.
  void Publish();

  // How often backends are asked anew.
  static constexpr std::chrono::seconds kRefresh{60};
  // APIServices of built-in versions that change within this are published together.
  static constexpr std::chrono::milliseconds kGather{20};

 private:
  struct Entry {
    base::Slice resources = base::Slice::Static("[]");
    bool stale = true;
    std::chrono::steady_clock::time_point dirty;  // what was asked before does not count
  };
  // The discovery document of a service: it has all versions that the service serves.
  struct Cached {
    Discovered versions;
    std::string etag;
    std::chrono::steady_clock::time_point asked;
  };
  using Fetched = base::Result<base::Slice, std::string>;

  void See(const std::string& name);
  // Whether discovery is the same without it: one of this server's own custom versions, with the priorities
  // that those have anyway. There is one for each group of custom resources.
  bool GoesWithoutSaying(const ApiService& service) const;
  void Refresh();
  base::Task<bool> Sync(std::string name);
  base::Task<Fetched> Fetch(ApiServicePtr service, std::chrono::steady_clock::time_point dirty);
  base::Task<Fetched> FetchLegacy(ApiServicePtr service);
  Fetched VersionIn(const Cached& cached, const ApiService& service) const;
  // After a change of what a backend serves; after one of a built-in version's APIService, with others.
  void PublishNext();
  void PublishSoon();

  const Options options_;
  controllers::KeyedQueue queue_;
  std::set<std::string, std::less<>> built_in_names_;  // of the APIServices of built-in versions
  std::set<std::string, std::less<>> told_;            // APIServices that discovery is told of
  std::map<std::string, Entry, std::less<>> entries_;  // of APIServices with a backend, by name
  std::map<ServiceReference, Cached> cached_;
  bool publishing_next_ = false, publishing_soon_ = false;
};

}  // namespace keelson::aggregator
