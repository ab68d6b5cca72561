#include "api/types/resource_desc.h"

#include <algorithm>
#include <tuple>

#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"

namespace keelson::api {
namespace {

const TypeDesc* FindExact(std::string_view group, std::string_view version, std::string_view kind) {
  const auto kinds = BuiltinKinds();
  const auto key = std::tie(kind, version, group);
  auto order = [](const KindEntry& e, const auto& k) { return std::tie(e.kind, e.version, e.group) < k; };
  auto it = std::lower_bound(kinds.begin(), kinds.end(), key, order);
  const bool found = it != kinds.end() && std::tie(it->kind, it->version, it->group) == key;
  return found ? it->type : nullptr;
}

}  // namespace

const ResourceDesc* FindResource(std::string_view group, std::string_view version, std::string_view plural) {
  for (const ResourceDesc& r : BuiltinResources())
    if (r.plural == plural && r.group == group && r.version == version) return &r;
  return nullptr;
}

const ResourceDesc& StoredResource(const ResourceDesc& resource) {
  if (!resource.IsConverted() || IsCustom(resource)) return resource;
  return *FindResource(resource.storage_version.group, resource.storage_version.version, resource.plural);
}

std::vector<const ResourceDesc*> EquivalentResources(const ResourceDesc& resource) {
  if (IsCustom(resource)) return {resource.served_versions.begin(), resource.served_versions.end()};
  std::vector<const ResourceDesc*> found;
  for (const ResourceDesc& other : BuiltinResources())
    if (&other == &resource || (other.storage_type && other.storage_prefix == resource.storage_prefix &&
                                other.plural == resource.plural))
      found.push_back(&other);
  return found;
}

const ResourceDesc& ResourceIn(const ResourceDesc& resource, GroupVersion version) {
  if (version.version.empty() || version == GroupVersion{resource.group, resource.version}) return resource;
  if (!IsCustom(resource)) {
    const ResourceDesc* const found = FindResource(version.group, version.version, resource.plural);
    return found && found->storage_prefix == resource.storage_prefix ? *found : resource;
  }
  for (const ResourceDesc* const served : resource.served_versions)
    if (version == GroupVersion{served->group, served->version}) return *served;
  return resource;
}

const TypeDesc* FindType(std::string_view name) {
  const auto types = BuiltinTypes();
  auto it = std::lower_bound(types.begin(), types.end(), name,
                             [](const TypeDesc* t, std::string_view n) { return t->name < n; });
  return it != types.end() && (*it)->name == name ? *it : nullptr;
}

const TypeDesc* FindKind(std::string_view group, std::string_view version, std::string_view kind) {
  if (version.empty()) return nullptr;
  const TypeDesc* type = FindExact(group, version, kind);
  return type ? type : FindExact("", "", kind);
}

}  // namespace keelson::api
