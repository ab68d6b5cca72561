#include "app/quotas_client.h"

#include "api/meta/object_meta.h"
#include "app/server_user.h"
#include "registry/decode.h"
#include "registry/store.h"

namespace keelson::app {
namespace {

constexpr api::GroupResource kQuotas{"", "resourcequotas"};

}  // namespace

base::Task<client::Quotas::Result<bool>> QuotasClient::Any(std::string ns) const {
  registry::rest::ListOptions options{.ns = std::move(ns), .resource_version = "0"};
  const auto list = CO_TRY(co_await stores_.Find(kQuotas)->List(std::move(options)));
  co_return !list.items.empty();
}

base::Task<client::Quotas::Result<std::vector<api::Doc>>> QuotasClient::List(
    std::string ns, std::string not_older_than) const {
  registry::Store& store = *stores_.Find(kQuotas);
  registry::rest::ListOptions options{.ns = std::move(ns), .resource_version = std::move(not_older_than)};
  if (!options.resource_version.empty()) options.match = registry::rest::VersionMatch::kNotOlderThan;
  const auto list = CO_TRY(co_await store.List(std::move(options)));
  std::vector<api::Doc> docs;
  docs.reserve(list.items.size());
  for (const registry::rest::Object* const object : list.items)
    docs.push_back(CO_TRY(registry::DecodeStored(*object, *store.resource().storage_type)));
  co_return docs;
}

base::Task<client::Quotas::Result<std::string>> QuotasClient::UpdateStatus(api::Doc quota) const {
  registry::Store& store = *stores_.Find(kQuotas, "status");
  const auto metadata = api::MetadataOf(quota);
  std::string name(metadata.name());
  registry::rest::WriteRequest request{.user = &ServerUser(), .ns = std::string(metadata.namespace_())};
  // The resourceVersion it was read at makes the write conditional.
  const auto wanted = std::make_shared<const api::Doc>(std::move(quota));
  registry::rest::UpdatedObject updated{
      .make = [wanted](const api::Doc&) -> base::Task<registry::rest::Result<api::Doc>> {
        co_return wanted->Clone();
      }};
  const auto written = CO_TRY(co_await store.Update(std::move(request), std::move(name), std::move(updated)));
  const auto doc = CO_TRY(registry::DecodeWritten(written.object, *store.resource().storage_type));
  co_return std::string(api::MetadataOf(doc).resource_version());
}

}  // namespace keelson::app
