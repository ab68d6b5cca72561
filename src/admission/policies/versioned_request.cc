#include "admission/policies/versioned_request.h"

#include <string>

#include "api/conversion/conversion.h"
#include "api/types/custom_type.h"

namespace keelson::admission {
namespace {

// Versions of a custom kind that nobody converts differ in their names: what one of them does not know is
// there all the same, until the object is stored or shown.
api::Doc NamedAs(api::Doc doc, const api::ResourceDesc& version) {
  const std::string name = std::string(version.group) + "/" + std::string(version.version);
  doc.root()->type = version.type;
  doc.root()->slot(1) = api::Value::String(doc.arena().CopyString(name));
  return doc;
}

// Empty: `doc` is in `version` as it is.
api::Doc InVersion(const api::Doc* doc, const api::ResourceDesc& stored, const api::ResourceDesc& version) {
  if (!doc || !*doc || !stored.storage_type || &doc->type() != stored.storage_type) return {};
  if (&doc->type() == version.type && !api::IsOpen(doc->type())) return {};
  if (api::IsOpen(doc->type())) return NamedAs(doc->Clone(), version);
  return api::Convert(doc->Clone(), *version.type, {version.group, version.version}, version.kind);
}

}  // namespace

VersionedRequest::VersionedRequest(const Attributes& original, const api::ResourceDesc& version)
    : request(original),
      object(InVersion(original.object, *original.resource, version)),
      old(InVersion(original.old_object, *original.resource, version)) {
  request.requested = &original.requested_resource();
  request.resource = &version;
  if (object) request.object = &object;
  if (old) request.old_object = &old;
}

}  // namespace keelson::admission
