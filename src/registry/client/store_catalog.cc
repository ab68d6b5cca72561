#include "registry/client/store_catalog.h"

namespace keelson::registry {
namespace {

std::string CatalogKey(std::string_view group, std::string_view plural) {
  std::string key;
  key.reserve(group.size() + plural.size() + 1);
  key.append(plural).append(".").append(group);
  return key;
}

std::string CatalogKey(const StoreCatalog::Entry& entry) {
  return CatalogKey(entry.desc->group, entry.desc->plural);
}

}  // namespace

Store* StoreCatalog::Entry::Find(std::string_view subresource) const {
  if (subresource.empty()) return store;
  const auto found = subresources.find(subresource);
  return found == subresources.end() ? nullptr : found->second;
}

std::shared_ptr<StoreCatalog::Entry> StoreCatalog::MakeEntry(Store& store,
                                                             std::shared_ptr<const void> keepalive) {
  auto entry = std::make_shared<Entry>();
  entry->desc = &store.resource();
  entry->storage = store.options().storage;
  entry->garbage_collected = store.garbage_collected();
  entry->keepalive = std::move(keepalive);
  entry->store = &store;
  return entry;
}

void StoreCatalog::Add(EntryPtr entry) {
  ordered_.push_back(entry);
  std::string key = CatalogKey(*entry);
  built_in_.emplace(std::move(key), std::move(entry));
}

void StoreCatalog::Replace(EntryPtr now, const EntryPtr& was) {
  {
    base::MutexLock lock(mu_);
    if (was) {
      const auto found = custom_.find(CatalogKey(*was));
      if (found != custom_.end() && found->second == was) custom_.erase(found);
    }
    if (now) custom_.insert_or_assign(CatalogKey(*now), now);
  }
  for (size_t i = 0; i < observers_.size(); ++i) observers_[i](now, was);
}

void StoreCatalog::Close() {
  open_.store(false, std::memory_order_release);
  base::MutexLock lock(mu_);
  custom_.clear();
}

StoreCatalog::EntryPtr StoreCatalog::Find(std::string_view group, std::string_view plural) const {
  if (!is_open()) return nullptr;
  const std::string key = CatalogKey(group, plural);
  if (const auto found = built_in_.find(key); found != built_in_.end()) return found->second;
  base::MutexLock lock(mu_);
  const auto found = custom_.find(key);
  return found == custom_.end() ? nullptr : found->second;
}

std::vector<StoreCatalog::EntryPtr> StoreCatalog::All() const {
  if (!is_open()) return {};
  std::vector<EntryPtr> all = ordered_;
  base::MutexLock lock(mu_);
  for (const auto& [key, entry] : custom_) all.push_back(entry);
  return all;
}

}  // namespace keelson::registry
