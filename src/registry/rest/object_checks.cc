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

std::optional<std::string> DropRepeatedOwners(api::Doc& doc, std::string_view when) {
  std::string uids;
  for (const std::string& uid : api::DropRepeatedOwners(doc))
    uids.append(uids.empty() ? "" : ", ").append(uid);
  if (uids.empty()) return std::nullopt;
  std::string warning = ".metadata.ownerReferences contains duplicate entries";
  warning.append(when).append(
      "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please "
      "fix your requests; duplicate UID(s) observed: ");
  return warning.append(uids);
}

}  // namespace keelson::registry::rest
