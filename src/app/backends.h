// Backends: the store of everything, and those that --etcd-servers-overrides names for some resources.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/backend.h"
#include "app/config.h"
#include "app/data_dir.h"
#include "base/result.h"
#include "storage/backend.h"

namespace keelson::app {

// The etcd clusters that overrides name, each once, in their order; the same servers in another order are the
// same cluster. By these numbers health checks call them.
std::vector<std::vector<std::string>> OverrideClusters(const Config& config);

// The cluster that a built-in resource is stored on; nullopt: that of everything. An override of a resource
// counts more than one of its group ("apps/*"), and of several the last.
std::optional<size_t> OverrideClusterOf(const Config& config, std::string_view group,
                                        std::string_view resource);

// Each store has revisions of its own. Threads: made by one; read by any.
class Backends {
 public:
  // Blocks. The store of everything must answer; one of an override may be away, and its resources are then
  // served once it is there. Errors are ready to be shown. `config` outlives it.
  static base::Result<std::unique_ptr<Backends>, std::string> Open(const Config& config, const DataDir& dir);

  storage::Backend& main() const { return *main_.backend; }
  // The store of the etcd cluster with this number; may be main().
  storage::Backend& OfCluster(size_t number) const { return *clusters_[number]; }
  // Where the objects of a built-in resource are.
  storage::Backend& For(std::string_view group, std::string_view resource) const;

  // The jobs and checks of OpenedBackend, of all stores together.
  std::chrono::nanoseconds compaction_interval() const { return main_.compaction_interval; }
  std::vector<std::function<base::Task<void>()>> Compactions() const;
  std::vector<std::function<base::Task<void>()>> EncryptionReloads() const;
  std::vector<std::function<base::Task<std::optional<int64_t>>()>> DatabaseBytes() const;
  base::Result<void, std::string> ReloadTls() const;
  base::Result<void, std::string> KeyServicesHealth() const;

 private:
  explicit Backends(const Config& config, OpenedBackend opened);
  template <class Member>
  std::vector<Member> Each(Member OpenedBackend::* member) const;

  const Config& config_;
  const OpenedBackend main_;
  std::vector<OpenedBackend> others_;
  std::vector<storage::Backend*> clusters_;
};

}  // namespace keelson::app
