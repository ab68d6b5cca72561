// StoreCollection: client::Collection over a store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/feed.h"
#include "base/executor.h"
#include "client/collection.h"
#include "registry/store.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class StoreCollection final : public client::Collection {
 public:
  // `status`: the store of the status subresource; null: there is none. `manager` owns the
  // fields that are written through this.
  StoreCollection(registry::Store& store, registry::Store* status, std::string manager, base::Executor& loop)
      : store_(store), status_(status), manager_(std::move(manager)), feed_(store, loop) {}

  void Watch(std::function<void(const Change&)> see) override;
  void StopWatching() override { feed_.Close(); }
  base::Task<Result<std::optional<api::Doc>>> Get(std::string ns, std::string name) override;
  base::Task<Result<std::vector<api::Doc>>> List(std::string ns) override;
  base::Task<Result<int64_t>> Count(std::string ns) override;
  base::Task<Result<void>> Create(std::string ns, api::Doc doc) override;
  base::Task<Result<void>> Update(std::string ns, std::string name, Edit edit) override;
  // Requires: there is a status.
  base::Task<Result<void>> UpdateStatus(std::string ns, std::string name, Edit edit) override;
  base::Task<Result<void>> ApplyStatus(std::string ns, std::string name, std::string config) override;

 private:
  base::Task<Result<void>> UpdateIn(registry::Store& store, std::string ns, std::string name, Edit edit);

  registry::Store& store_;
  registry::Store* const status_;
  const std::string manager_;
  Feed feed_;
};

}  // namespace keelson::app
