#include "registry/rest/object_checks.h"

#include "api/meta/object_meta.h"

namespace keelson::registry::rest {

Result<void> CheckName(std::string_view ns, std::string_view name, const api::Doc& doc) {
  const auto metadata = api::MetadataOf(doc);
  if (!ns.empty() && !metadata.namespace_().empty() && metadata.namespace_() != ns)
    return base::Err(api::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"));
  if (metadata.name().empty())
    return base::Err(api::BadRequest("the name of the object (" + std::string(name) +
                                     " based on URL) was undeterminable: name must be provided"));
  if (metadata.name() != name)
    return base::Err(api::BadRequest("the name of the object (" + std::string(metadata.name()) +
                                     ") does not match the name on the URL (" + std::string(name) + ")"));
  return {};
}

}  // namespace keelson::registry::rest
