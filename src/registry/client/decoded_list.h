// DecodedList: all objects of a resource as documents, decoded when they have changed and shared until then.
#pragma once

#include <memory>
#include <vector>

#include "api/types/doc.h"
#include "base/mutex.h"
#include "base/published.h"
#include "storage/interface.h"

namespace keelson::registry {

// Threads: any; reading takes no lock.
class DecodedList {
 public:
  using Docs = std::shared_ptr<const std::vector<api::Doc>>;

  // The documents as of that NewestChange of their storage; null: they are others, or not there yet.
  Docs At(storage::Revision newest_change) const {
    const auto state = state_.Read();
    return state->newest_change == newest_change ? state->docs : nullptr;
  }
  // Requires: `docs` have every change up to `newest_change`. Newer ones than `docs` are kept.
  void Put(storage::Revision newest_change, Docs docs) const {
    base::MutexLock lock(mu_);
    if (newest_change < newest_) return;
    newest_ = newest_change;
    state_.Replace(new State(newest_change, std::move(docs)));
  }

 private:
  struct State final : base::Publishable<State> {
    State(storage::Revision n, Docs d) : newest_change(n), docs(std::move(d)) {}
    const storage::Revision newest_change;
    const Docs docs;
  };

  mutable base::Mutex mu_;  // of those that replace
  mutable storage::Revision newest_ GUARDED_BY(mu_) = -1;
  mutable base::Published<State> state_{new State(-1, nullptr)};
};

}  // namespace keelson::registry
