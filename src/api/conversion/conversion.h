// Conversion: one version of an object as another one. Every version converts to and from
// the one it is stored in; nothing else is needed.
#pragma once

#include <string>
#include <string_view>

#include "api/types/custom_type.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::api {

// `doc` as `type`, known to clients as `kind` of `version`. Takes the arena over: strings
// and the parts that are the same in both versions are not copied.
// Requires: the two types are the same, or versions of one kind.
Doc Convert(Doc doc, const TypeDesc& type, GroupVersion version, std::string_view kind);

// Between the form a resource is served in and the form it is stored in.
inline Doc ToStored(Doc doc, const ResourceDesc& resource) {
  if (!resource.IsConverted()) return doc;
  // A custom object keeps what its version says of it, until it is stored.
  if (IsCustom(resource)) {
    doc.root()->type = resource.storage_type;
    return doc;
  }
  return Convert(std::move(doc), *resource.storage_type, resource.storage_version, resource.kind);
}
inline Doc ToServed(Doc doc, const ResourceDesc& resource) {
  if (!resource.IsConverted()) return doc;
  return Convert(std::move(doc), *resource.type, {resource.group, resource.version}, resource.kind);
}

// `doc` in the version of `resource`, by whoever converts its kind, on behalf of `occupancy`. The error is
// the converter's.
base::Task<base::Result<Doc, ConversionError>> ConvertAsking(const CustomConverter& converter, Doc doc,
                                                             const ResourceDesc& resource,
                                                             base::Occupancy* occupancy);

}  // namespace keelson::api
