#include "app/stored_identities.h"

#include "api/codec/protobuf.h"
#include "api/generated/meta_v1.h"

namespace keelson::app {
namespace {

client::Identity IdentityOf(const registry::rest::Object& object) {
  client::Identity identity{.uid = std::string(object.uid())};
  constexpr uint32_t kMetadata = 1, kDeletionTimestamp = 9;
  const auto time = api::protobuf::FindBytes(object.message(), {kMetadata, kDeletionTimestamp});
  if (!time) return identity;
  // Only objects on their way out are decoded.
  const auto metadata = api::protobuf::FindBytes(object.message(), {kMetadata});
  api::Arena arena;
  const auto decoded = api::protobuf::Decode(*metadata, api::meta_v1::ObjectMetaView::Type(), arena);
  if (decoded) identity.deletion_time = api::meta_v1::ObjectMetaView(*decoded).deletion_timestamp();
  return identity;
}

}  // namespace

base::Task<base::Result<std::optional<client::Identity>, std::string>> StoredIdentities::Find(
    std::string_view resource, std::string ns, std::string name) {
  using Found = base::Result<std::optional<client::Identity>, std::string>;
  const Resources* const resources = resources_.load(std::memory_order_acquire);
  registry::Store* const store = resources ? resources->Find({"", resource}) : nullptr;
  if (!store) co_return Found(base::Err(std::string("the store is being loaded")));
  const auto object = co_await store->Get(std::move(ns), std::move(name), {});
  if (object) co_return Found(IdentityOf(**object));
  if (object.error().code == 404) co_return Found(std::nullopt);
  co_return Found(base::Err(object.error().message));
}

}  // namespace keelson::app
