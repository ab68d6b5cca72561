#include "registry/testing/store_fixture.h"

#include "api/codec/json.h"
#include "api/codec/transcode.h"
#include "storage/cacher/cacher.h"
#include "storage/memory/memory_backend.h"

namespace keelson::registry {
namespace {

base::Task<rest::Result<api::Doc>> Made(std::string plural, std::string json) {
  co_return StoreFixture::Document(plural, json);
}

}  // namespace

StoreFixture::StoreFixture() : backend_(storage::OpenMemoryBackend()) {}
StoreFixture::~StoreFixture() = default;

const api::ResourceDesc& StoreFixture::Resource(std::string_view plural) {
  if (const api::ResourceDesc* const core = api::FindResource("", "v1", plural)) return *core;
  return *api::FindResource("apps", "v1", plural);
}

storage::Interface& StoreFixture::StorageOf(std::string_view plural) {
  auto& storage = storages_[std::string(plural)];
  if (!storage)
    storage =
        storage::Cacher::Start(Resource(plural), *backend_, {.max_object_bytes = max_object_bytes_}).value();
  return *storage;
}

Store& StoreFixture::Add(std::string_view plural, const Strategy& strategy, StoreOptions extra) {
  extra.resource = &Resource(plural);
  extra.storage = &StorageOf(plural);
  extra.strategy = &strategy;
  extra.clock = &clock_;
  bool whole_namespace = plural == "namespaces" && extra.subresource.empty();
  if (whole_namespace) {
    stores_.push_back(std::make_unique<NamespaceStore>(std::move(extra)));
  } else {
    stores_.push_back(std::make_unique<Store>(std::move(extra)));
  }
  return *stores_.back();
}

api::Doc StoreFixture::Document(std::string_view plural, std::string_view json) {
  const api::ResourceDesc& desc = Resource(plural);
  api::Arena arena;
  auto root = api::json::Decode(arena.CopyString(json), *desc.type, arena, nullptr);
  EXPECT_TRUE(root.has_value()) << json;
  (*root)->slot(0) = api::Value::String(desc.kind);
  (*root)->slot(1) = api::Value::String(desc.version);
  return api::Doc(std::move(arena), *root);
}

std::string StoreFixture::Json(const rest::Encoded& object, std::string_view plural) {
  base::BufferBuilder out;
  EXPECT_TRUE(api::transcode::ProtobufToJson(object.message, *Resource(plural).type, "", out));
  return std::string(out.view());
}

rest::UpdatedObject StoreFixture::Replacement(std::string plural, std::string json, std::string uid) {
  return {[plural, json](const api::Doc&) { return Made(plural, json); }, std::move(uid)};
}

}  // namespace keelson::registry
