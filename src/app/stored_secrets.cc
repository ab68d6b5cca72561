#include "app/stored_secrets.h"

#include "api/generated/core_v1.h"
#include "app/server_user.h"
#include "base/log.h"
#include "registry/decode.h"

namespace keelson::app {
namespace {

using api::core_v1::SecretEditor;
using api::core_v1::SecretView;

using Texts = std::map<std::string, std::string, std::less<>>;

Texts TextsOf(api::MapView map) {
  Texts texts;
  for (const auto& [key, value] : map) texts.emplace(key, value.string());
  return texts;
}

base::Task<registry::rest::Result<api::Doc>> WithLabel(std::string uid, std::string key, std::string value,
                                                       const api::Doc& current) {
  api::Doc doc = current.Clone();
  SecretEditor secret(doc);
  if (secret.metadata().uid() == uid) secret.mutable_metadata().put_labels(key, value);
  co_return doc;
}

}  // namespace

registry::Store* StoredSecrets::Store(std::string_view resource) const {
  const Resources* const resources = resources_.load(std::memory_order_acquire);
  return resources ? resources->Find({"", resource}) : nullptr;
}

base::Task<base::Result<std::optional<auth::TokenSecret>, std::string>> StoredSecrets::Find(
    std::string ns, std::string name) {
  using Found = base::Result<std::optional<auth::TokenSecret>, std::string>;
  registry::Store* const store = Store("secrets");
  if (!store) co_return Found(base::Err(std::string("the store is being loaded")));
  const auto object = co_await store->Get(std::move(ns), std::move(name), {});
  if (!object && object.error().code == 404) co_return Found(std::nullopt);
  if (!object) co_return Found(base::Err(object.error().message));
  const auto doc = registry::DecodeStored(**object, SecretView::Type());
  if (!doc) co_return Found(base::Err(doc.error().message));
  const SecretView secret(*doc);
  co_return Found(auth::TokenSecret{.uid = std::string(secret.metadata().uid()),
                                    .type = std::string(secret.type()),
                                    .being_deleted = secret.metadata().has_deletion_timestamp(),
                                    .data = TextsOf(secret.data()),
                                    .labels = TextsOf(secret.metadata().labels())});
}

base::Task<bool> StoredSecrets::IsListed(std::string ns, std::string account, std::string secret) {
  registry::Store* const store = Store("serviceaccounts");
  if (!store) co_return false;
  const auto object = co_await store->Get(std::move(ns), std::move(account), {});
  if (!object) co_return false;
  const auto doc = registry::DecodeStored(**object, api::core_v1::ServiceAccountView::Type());
  if (!doc) co_return false;
  for (const auto reference : api::core_v1::ServiceAccountView(*doc).secrets())
    if (reference.name() == secret) co_return true;
  co_return false;
}

base::Task<void> StoredSecrets::SetLabel(std::string ns, std::string name, std::string uid,
                                         std::string_view key, std::string value) {
  registry::Store* const store = Store("secrets");
  if (!store) co_return;
  registry::rest::WriteRequest request{
      .user = &ServerUser(), .ns = std::move(ns), .field_manager = "kube-apiserver"};
  registry::rest::UpdatedObject updated{.make = [uid = std::move(uid), key = std::string(key),
                                                 value = std::move(value)](const api::Doc& current) {
    return WithLabel(uid, key, value, current);
  }};
  const auto written = co_await store->Update(std::move(request), name, std::move(updated));
  if (!written)
    base::Log(base::LogLevel::kError, "cannot label the secret of a service account token",
              {{"secret", name}, {"why", written.error().message}});
}

}  // namespace keelson::app
