#include "app/custom_catalog.h"

namespace keelson::app {
namespace {

registry::StoreCatalog::EntryPtr CatalogEntry(const extensions::CustomResources::StoragePtr& storage) {
  auto entry = registry::StoreCatalog::MakeEntry(storage->store(), storage);
  if (registry::Store* const status = storage->status_store()) entry->subresources.emplace("status", status);
  return entry;
}

}  // namespace

void FollowInto(extensions::CustomResources& custom, registry::StoreCatalog& catalog) {
  custom.Observe([&catalog](const auto& now, const auto& was) {
    registry::StoreCatalog::EntryPtr old;
    if (was) {
      const api::ResourceDesc& desc = was->store().resource();
      old = catalog.Find(desc.group, desc.plural);
    }
    catalog.Replace(now ? CatalogEntry(now) : nullptr, old);
  });
}

}  // namespace keelson::app
