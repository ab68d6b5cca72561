#include "bootstrap/ensure.h"

#include "api/meta/object_meta.h"

namespace keelson::bootstrap {

base::Task<Done> CreateIfAbsent(const client::Client& client, client::Resource resource, api::Doc doc) {
  const auto metadata = api::MetadataOf(doc);
  const std::string ns(metadata.namespace_()), name(metadata.name());
  const auto found = co_await client.GetObject(resource, ns, name, client::Fresh::kNewest);
  if (found && *found) co_return Done();
  const auto created = co_await client.Create(resource, ns, std::move(doc));
  // Another server on the same store may have been faster.
  if (!created && created.error().reason != "AlreadyExists")
    co_return base::Err("cannot create " + std::string(resource.plural) + " " + name + ": " +
                        created.error().message);
  co_return Done();
}

}  // namespace keelson::bootstrap
