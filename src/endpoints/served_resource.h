// ServedResource: a resource with the verbs that serve it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/types/resource_desc.h"
#include "registry/rest/storage.h"

namespace keelson::endpoints {

namespace table {
class Printer;
}

// Borrowed: what it points to outlives the handler, or is kept by `keepalive`.
struct ServedResource {
  const api::ResourceDesc* desc = nullptr;
  registry::rest::Verbs verbs;
  std::map<std::string, registry::rest::Verbs, std::less<>> subresources;
  const table::Printer* printer = nullptr;  // null: the default columns
  std::string_view deprecation = {};        // the warning of a custom version; empty: none
  // Of a custom resource: what keeps all of the above, for answers that outlive the set they are from.
  std::shared_ptr<const void> keepalive = {};
  // How the objects of subresources look whose kind is not the resource's (scale, eviction), by the name of
  // the subresource. The handler fills it in.
  std::map<std::string_view, api::ResourceDesc> body_descs = {};

  // Null: the objects of `subresource` are the resource's own.
  const api::ResourceDesc* BodyDescOf(std::string_view subresource) const {
    const auto found = body_descs.find(subresource);
    return found == body_descs.end() ? nullptr : &found->second;
  }
  // Fills in `body_descs`.
  void DescribeBodies();
};
using ServedResourcePtr = std::shared_ptr<const ServedResource>;

}  // namespace keelson::endpoints
