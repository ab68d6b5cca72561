// NamespacesClient: the namespace controller's view of the stores.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/resources.h"
#include "base/executor.h"
#include "client/namespaces.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows both; outlives the loop's running.
class NamespacesClient final : public client::Namespaces {
 public:
  NamespacesClient(const Resources& resources, base::Executor& loop);

  void WatchTerminating(std::function<void(std::string)> see) override;
  base::Task<base::Result<int64_t, api::Status>> DeleteContent(std::string ns) override;
  base::Task<base::Result<void, api::Status>> Finalize(std::string ns) override;

 private:
  base::Task<void> OpenWatch();
  void PollWatch();
  base::Task<base::Result<int64_t, api::Status>> Empty(registry::Store& store, std::string ns);

  base::Executor& loop_;
  registry::Store& namespaces_;
  registry::Store& finalize_;
  registry::Store& pods_;
  const std::vector<registry::Store*> others_;  // what lies in namespaces besides pods
  const size_t phase_field_;                    // index of status.phase
  std::function<void(std::string)> see_;
  std::unique_ptr<registry::rest::WatchStream> watch_;
};

}  // namespace keelson::app
