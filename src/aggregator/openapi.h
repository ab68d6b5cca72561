// OpenApi: knows how backends describe their version: in OpenAPI v3 under which URL, and what their document
// of OpenAPI v2 says of it. They are asked in the background; where one cannot be asked, what it said last
// stays.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/api_service_table.h"
#include "aggregator/backends.h"
#include "base/executor.h"
#include "base/published.h"
#include "base/task.h"
#include "controllers/keyed_queue.h"
#include "endpoints/openapi/remote_spec.h"

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
    // Takes the backends' OpenAPI v2 documents, in the order of the APIServices' priorities.
    std::function<void(std::vector<endpoints::openapi::RemoteSpecPtr>)> publish_specs;
  };
  explicit OpenApi(Options options);

  void Start();

  // The APIService whose backend has the document at `path`; null: this server has it, or nobody. Any thread.
  ApiServicePtr Route(std::string_view path) const;

  // How often backends are asked anew.
  static constexpr std::chrono::seconds kRefresh{60};
  // The most that is kept of what all backends say in OpenAPI v2.
  static constexpr size_t kMaxSpecBytes = size_t{64} << 20;

 private:
  struct Entry {
    std::string url;  // of OpenAPI v3; empty: none yet
    endpoints::openapi::RemoteSpecPtr spec;
    std::string etag, body_hash;  // of the document that `spec` is from
  };
  struct Routes final : base::Publishable<Routes> {
    std::map<std::string, ApiServicePtr, std::less<>> by_path;
  };
  void See(const std::string& name);
  void Refresh();
  base::Task<bool> Sync(std::string name);
  // Each says whether the backend could be asked.
  base::Task<bool> SyncUrl(ApiServicePtr service);
  base::Task<bool> SyncSpec(ApiServicePtr service);
  bool TakeSpec(const ApiService& service, std::string_view body);
  void Publish();
  void PublishSpecs();

  const Options options_;
  controllers::KeyedQueue queue_;
  std::map<std::string, Entry, std::less<>> entries_;  // of APIServices with a backend, by name
  base::Published<Routes> routes_{new Routes()};
};

}  // namespace keelson::aggregator
