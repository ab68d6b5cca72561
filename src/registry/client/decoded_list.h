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

  // How new documents are: what Loads and NewestChange of their storage were before they were listed.
  struct Version {
    uint64_t loads = 0;
    storage::Revision newest_change = -1;
    auto operator<=>(const Version&) const = default;

    static Version Of(const storage::Interface& storage) { return {storage.Loads(), storage.NewestChange()}; }
  };

  // Null: they are others, or not there yet.
  Docs At(Version version) const {
    const auto state = state_.Read();
    return state->version == version ? state->docs : nullptr;
  }
  // Requires: `docs` have every change up to `version`. Newer ones than `docs` are kept.
  void Put(Version version, Docs docs) const {
    base::MutexLock lock(mu_);
    if (version < newest_) return;
    newest_ = version;
    state_.Replace(new State(version, std::move(docs)));
  }

 private:
  struct State final : base::Publishable<State> {
    State(Version v, Docs d) : version(v), docs(std::move(d)) {}
    const Version version;
    const Docs docs;
  };

  mutable base::Mutex mu_;  // of those that replace
  mutable Version newest_ GUARDED_BY(mu_);
  mutable base::Published<State> state_{new State(Version(), nullptr)};
};

}  // namespace keelson::registry
