#include "extensions/conversion/converting_storage.h"

#include <utility>

#include "api/codec/protobuf.h"
#include "api/conversion/conversion.h"
#include "extensions/conversion/converting_watch.h"
#include "registry/store.h"
#include "storage/decode.h"

namespace keelson::extensions {

using storage::Draft;
using storage::ListResult;
using storage::ObjectPtr;
using storage::Result;
using Wanted = ConvertedObjects::Wanted;

namespace {

// The items that were converted, and what holds the others.
class HeldItems final : public storage::ObjectHolder {
 public:
  std::vector<storage::EventPtr> converted;
  std::vector<std::shared_ptr<const storage::ObjectHolder>> others;
};

}  // namespace

ConvertingStorage::ConvertingStorage(std::shared_ptr<ConvertedObjects> objects,
                                     const api::ResourceDesc& stored, storage::Interface& below)
    : objects_(std::move(objects)), stored_(stored), below_(below) {}

base::Task<Result<Draft>> ConvertingStorage::ToStored(Draft draft, base::Occupancy* occupancy) {
  if (objects_->version().type == stored_.type) co_return draft;
  auto doc = storage::Decode(draft.envelope, "what is to be stored", *objects_->version().type);
  if (!doc) co_return base::Err(ConversionFailed({doc.error().message}));
  auto converted = co_await api::ConvertAsking(objects_->converter(), *std::move(doc), stored_, occupancy);
  if (!converted) co_return base::Err(ConversionFailed(converted.error()));
  co_return registry::Store::EncodeForStorage(*converted);
}

base::Task<Result<ObjectPtr>> ConvertingStorage::Create(std::string key, Draft draft,
                                                        storage::CreateOptions options) {
  Draft stored = CO_TRY(co_await ToStored(std::move(draft), options.occupancy));
  auto created = CO_TRY(co_await below_.Create(std::move(key), std::move(stored), options));
  co_return co_await objects_->Convert(std::move(created), options.occupancy);
}

base::Task<Result<ObjectPtr>> ConvertingStorage::Get(std::string key, storage::GetOptions options) {
  const bool metadata_only = options.metadata_only;
  base::Occupancy* const occupancy = options.occupancy;
  auto object = CO_TRY(co_await below_.Get(std::move(key), std::move(options)));
  if (metadata_only) co_return object;
  co_return co_await objects_->Convert(std::move(object), occupancy);
}

base::Task<ConvertingStorage::Updated> ConvertingStorage::UpdateConverted(
    std::shared_ptr<const storage::UpdateFn> update, ObjectPtr current, base::Occupancy* occupancy) {
  if (current) {
    auto converted = co_await objects_->Convert(std::move(current), occupancy);
    if (!converted) co_return base::Err(std::move(converted.error().cause));
    current = *std::move(converted);
  }
  auto updated = co_await (*update)(std::move(current));
  if (!updated || updated->unchanged || updated->remove || updated->stored.envelope.empty())
    co_return std::move(updated);
  auto stored = co_await ToStored(std::move(updated->stored), occupancy);
  if (!stored) co_return base::Err(std::move(stored.error().cause));
  updated->stored = *std::move(stored);
  co_return std::move(updated);
}

base::Task<Result<ObjectPtr>> ConvertingStorage::GuaranteedUpdate(std::string key, bool create_if_absent,
                                                                  storage::ChangeOptions options,
                                                                  storage::UpdateFn update) {
  auto shared = std::make_shared<const storage::UpdateFn>(std::move(update));
  base::Occupancy* const occupancy = options.occupancy;
  storage::UpdateFn converted = [this, shared, occupancy](ObjectPtr current) {
    return UpdateConverted(shared, std::move(current), occupancy);
  };
  auto written = CO_TRY(co_await below_.GuaranteedUpdate(std::move(key), create_if_absent, std::move(options),
                                                         std::move(converted)));
  co_return co_await objects_->Convert(std::move(written), occupancy);
}

base::Task<Result<ObjectPtr>> ConvertingStorage::Delete(std::string key, storage::ChangeOptions options,
                                                        storage::DeleteCheckFn check) {
  base::Occupancy* const occupancy = options.occupancy;
  auto removed = CO_TRY(co_await below_.Delete(std::move(key), std::move(options), std::move(check)));
  co_return co_await objects_->Convert(std::move(removed), occupancy);
}

base::Task<Result<ListResult>> ConvertingStorage::Convert(ListResult list, base::Occupancy* occupancy) {
  std::vector<Wanted> wanted;
  std::vector<size_t> places;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (objects_->IsInVersion(*list.items[i])) continue;
    wanted.push_back({ObjectPtr(list.items[i])});
    places.push_back(i);
  }
  if (wanted.empty()) co_return std::move(list);
  auto held = std::make_shared<HeldItems>();
  held->converted = CO_TRY(co_await objects_->Convert(std::move(wanted), true, occupancy));
  held->others.push_back(std::move(list.holder));
  for (size_t i = 0; i < places.size(); ++i) list.items[places[i]] = held->converted[i]->object.get();
  list.holder = std::move(held);
  co_return std::move(list);
}

base::Task<Result<ListResult>> ConvertingStorage::List(storage::ListOptions options) {
  if (options.selection.has_fields()) co_return co_await ListSelected(std::move(options));
  const bool metadata_only = options.metadata_only;
  base::Occupancy* const occupancy = options.occupancy;
  auto list = CO_TRY(co_await below_.List(std::move(options)));
  if (metadata_only) co_return std::move(list);
  co_return co_await Convert(std::move(list), occupancy);
}

base::Task<Result<ListResult>> ConvertingStorage::ListSelected(storage::ListOptions options) {
  const storage::Selection selection = std::exchange(options.selection, options.selection.WithoutFields());
  const size_t limit = static_cast<size_t>(options.limit);
  ListResult selected;
  auto held = std::make_shared<HeldItems>();
  for (;;) {
    auto page = CO_TRY(co_await below_.List(options));
    page = CO_TRY(co_await Convert(std::move(page), options.occupancy));
    if (selected.revision == 0) selected.revision = page.revision;
    for (const storage::Object* const item : page.items)
      if (selection.Matches(*item)) selected.items.push_back(item);
    held->others.push_back(std::move(page.holder));
    selected.continue_token = std::move(page.continue_token);
    if (selected.continue_token.empty() || selected.items.size() >= limit) break;
    options.continue_token = selected.continue_token;
    options.resource_version.clear();
    options.match = storage::VersionMatch::kUnset;
    options.limit = static_cast<int64_t>(limit - selected.items.size());
  }
  selected.holder = std::move(held);
  co_return std::move(selected);
}

base::Task<Result<std::unique_ptr<storage::WatchStream>>> ConvertingStorage::Watch(
    storage::WatchOptions options) {
  const bool selects = options.selection.has_fields();
  if (options.metadata_only && !selects) co_return co_await below_.Watch(std::move(options));
  std::optional<storage::Selection> selection;
  if (selects) selection = std::exchange(options.selection, options.selection.WithoutFields());
  auto stream = CO_TRY(co_await below_.Watch(std::move(options)));
  co_return std::make_unique<ConvertingWatch>(std::move(stream), objects_, std::move(selection));
}

}  // namespace keelson::extensions
