#include "app/store_collection.h"

#include "app/server_user.h"
#include "registry/decode.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;

base::Task<registry::rest::Result<api::Doc>> Edited(std::shared_ptr<const client::Collection::Edit> edit,
                                                    const api::Doc& current) {
  api::Doc doc = current.Clone();
  // A document that was changed all the same must not be written.
  if (!(*edit)(doc)) co_return current.Clone();
  co_return doc;
}

}  // namespace

void StoreCollection::Watch(std::function<void(const Change&)> see) {
  feed_.Open({.see = [see = std::move(see)](const WatchEvent& event) {
    see({event.object->ns(), event.object->name(), event.type == EventType::kDeleted,
         event.type == EventType::kAdded});
  }});
}

base::Task<client::Collection::Result<std::optional<api::Doc>>> StoreCollection::Get(std::string ns,
                                                                                     std::string name) {
  const auto read = co_await store_.Get(std::move(ns), std::move(name), {});
  if (!read) {
    if (read.error().code == 404) co_return std::nullopt;
    co_return base::Err(read.error());
  }
  auto doc = CO_TRY(registry::DecodeStored(**read, *store_.resource().storage_type));
  co_return std::optional<api::Doc>(std::move(doc));
}

base::Task<client::Collection::Result<std::vector<api::Doc>>> StoreCollection::List(std::string ns) {
  registry::rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await store_.List(std::move(options)));
  std::vector<api::Doc> docs;
  docs.reserve(list.items.size());
  for (const registry::rest::Object* const object : list.items)
    docs.push_back(CO_TRY(registry::DecodeStored(*object, *store_.resource().storage_type)));
  co_return docs;
}

base::Task<client::Collection::Result<int64_t>> StoreCollection::Count(std::string ns) {
  registry::rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await store_.List(std::move(options)));
  co_return static_cast<int64_t>(list.items.size());
}

base::Task<client::Collection::Result<void>> StoreCollection::Create(std::string ns, api::Doc doc) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = std::move(ns), .field_manager = manager_};
  CO_TRY(co_await store_.Create(std::move(request), std::move(doc)));
  co_return Result<void>();
}

base::Task<client::Collection::Result<void>> StoreCollection::UpdateIn(registry::Store& store, std::string ns,
                                                                       std::string name, Edit edit) {
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = std::move(ns), .field_manager = manager_};
  registry::rest::UpdatedObject updated{
      .make = [edit = std::make_shared<const Edit>(std::move(edit))](const api::Doc& current) {
        return Edited(edit, current);
      }};
  CO_TRY(co_await store.Update(std::move(request), std::move(name), std::move(updated)));
  co_return Result<void>();
}

base::Task<client::Collection::Result<void>> StoreCollection::Update(std::string ns, std::string name,
                                                                     Edit edit) {
  return UpdateIn(store_, std::move(ns), std::move(name), std::move(edit));
}

base::Task<client::Collection::Result<void>> StoreCollection::UpdateStatus(std::string ns, std::string name,
                                                                           Edit edit) {
  return UpdateIn(*status_, std::move(ns), std::move(name), std::move(edit));
}

base::Task<client::Collection::Result<void>> StoreCollection::ApplyStatus(std::string ns, std::string name,
                                                                          std::string config) {
  auto configuration =
      registry::rest::ApplyConfiguration::FromJson(store_.resource(), base::Slice::Copy(config));
  if (!configuration) co_return base::Err(api::BadRequest(configuration.error()));
  configuration->force = true;
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = std::move(ns), .field_manager = manager_};
  registry::rest::UpdatedObject updated;
  updated.apply = *std::move(configuration);
  CO_TRY(co_await status_->Update(std::move(request), std::move(name), std::move(updated)));
  co_return Result<void>();
}

}  // namespace keelson::app
