// OpenApi: knows which backends describe their version in OpenAPI v3, and under which URL. They are asked in
// the background; where one cannot be asked, what it said last stays.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "aggregator/api_service_table.h"
#include "aggregator/backends.h"
#include "base/executor.h"
#include "base/published.h"
#include "base/task.h"
#include "controllers/keyed_queue.h"

namespace keelson::aggregator {

// Threads: everything on `loop`, unless it says otherwise. Borrows all; outlives the loop's running.
class OpenApi {
 public:
  using Urls = std::map<std::string, std::string, std::less<>>;  // by "apis/GROUP/VERSION"
  struct Options {
    ApiServiceTable& table;  // that has not been started yet
    Backends& backends;
    base::Executor& loop;
    // Is told the URLs, relative to this server, whenever they change.
    std::function<void(Urls)> publish;
  };
  explicit OpenApi(Options options);

  void Start();

  // The APIService whose backend has the document at `path`; null: this server has it, or nobody. Any thread.
  ApiServicePtr Route(std::string_view path) const;

  // How often backends are asked anew.
  static constexpr std::chrono::seconds kRefresh{60};

 private:
  struct Routes final : base::Publishable<Routes> {
    std::map<std::string, ApiServicePtr, std::less<>> by_path;
  };
  void See(const std::string& name);
  void Refresh();
  base::Task<bool> Sync(std::string name);
  void Publish();

  const Options options_;
  controllers::KeyedQueue queue_;
  std::map<std::string, std::string, std::less<>> urls_;  // by name of the APIService; empty: none yet
  base::Published<Routes> routes_{new Routes()};
};

}  // namespace keelson::aggregator
