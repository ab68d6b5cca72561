// StoreCatalog: the stores of every resource that is stored, by name. Built-in ones are there for good;
// custom ones come and go while the server runs.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/types/custom_type.h"
#include "base/mutex.h"
#include "base/string_hash.h"
#include "client/client.h"
#include "registry/client/decoded_list.h"
#include "registry/store.h"

namespace keelson::registry {

class StoreCatalog {
 public:
  // A resource and the stores that serve it, which it borrows from `keepalive`, or from the server.
  struct Entry final : client::Source {
    Store* store = nullptr;
    std::map<std::string, Store*, std::less<>> subresources;
    DecodedList decoded;

    // Null: it has no such subresource.
    Store* Find(std::string_view subresource) const;
  };
  using EntryPtr = std::shared_ptr<const Entry>;

  // `keepalive`: what has the stores; null: they outlive the catalog.
  static std::shared_ptr<Entry> MakeEntry(Store& store, std::shared_ptr<const void> keepalive = nullptr);

  // A built-in resource. Threads: one, before Open.
  void Add(EntryPtr entry);
  // Which versions of the built-in resources clients reach; all unless given. Threads: one, before Open.
  using ServedVersions = std::function<bool(const api::ResourceDesc&)>;
  void SetServed(ServedVersions served) { served_ = std::move(served); }
  // Any thread. Every version of a custom resource that is described is served.
  bool Serves(const api::ResourceDesc& version) const {
    return api::IsCustom(version) || !served_ || served_(version);
  }
  // Nothing is found before this.
  void Open() { open_.store(true, std::memory_order_release); }
  bool is_open() const { return open_.load(std::memory_order_acquire); }

  // A custom resource comes, is replaced, or goes. Observers are told before this returns. Threads: one loop,
  // or whoever makes the server before it runs.
  void Replace(EntryPtr now, const EntryPtr& was);
  // Forgets the custom resources; nothing is found any more. Threads: one, when no loop runs.
  void Close();

  // Any thread; built-in resources are found without a lock. Null: it is not served.
  EntryPtr Find(std::string_view group, std::string_view plural) const;
  std::vector<EntryPtr> All() const;
  // Threads: as Replace.
  void Observe(client::Client::SourceObserver see) const { observers_.push_back(std::move(see)); }

 private:
  using Table = std::unordered_map<std::string, EntryPtr, base::StringHash, std::equal_to<>>;

  std::atomic<bool> open_{false};
  ServedVersions served_;          // constant from Open on
  Table built_in_;                 // by "plural.group"; constant from Open on
  std::vector<EntryPtr> ordered_;  // the same in the order they were added
  mutable base::Mutex mu_;
  std::map<std::string, EntryPtr, std::less<>> custom_ GUARDED_BY(mu_);
  mutable std::deque<client::Client::SourceObserver> observers_;  // one that is called may add another
};

}  // namespace keelson::registry
