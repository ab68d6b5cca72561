// ResourceDesc: how a kind is served and stored; the tables come from schema/*.kschema.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/types/type_desc.h"

namespace keelson::api {

struct GroupVersion {
  std::string_view group;  // "" is the core group
  std::string_view version;
  bool operator==(const GroupVersion&) const = default;
};

// One column of `kubectl get`: where the cell comes from is the printer's business
// (endpoints/table); this is its header.
struct ColumnDesc {
  std::string_view name;
  std::string_view type;    // "string", "integer", "boolean", "date", "number"
  std::string_view format;  // "name" for the first
  int priority = 0;         // above 0: only with -o wide
};

// A field that is selected under another name than the one it is stored with.
struct FieldAlias {
  std::string_view name, stored;
};

struct SubresourceDesc {
  std::string_view name;  // "status"
  std::string_view kind;
  std::span<const std::string_view> verbs;
  std::string_view group, version;  // of the kind
};

struct ResourceDesc {
  std::string_view group, version;
  std::string_view plural, singular, kind, list_kind;
  bool namespaced = true;
  std::span<const std::string_view> short_names, categories, verbs;
  std::string_view storage_version_hash;
  std::string_view storage_prefix;         // "/pods" below /registry; object keys follow
  GroupVersion storage_version;            // of the stored form
  const TypeDesc* storage_type = nullptr;  // of the stored form; null: nothing is stored
  const TypeDesc* type = nullptr;
  const TypeDesc* list_type = nullptr;
  std::span<const SubresourceDesc> subresources;
  std::span<const ColumnDesc> columns;
  // Fields that a field selector may name besides metadata.name and metadata.namespace.
  std::span<const std::string_view> selectable_fields;
  // Those of them by which clients list and watch in large numbers: caches keep an index by each.
  std::span<const std::string_view> indexed_fields;
  std::span<const FieldAlias> field_aliases;
  // Of a custom resource: its served versions, in the order of the definition. Those of built-in ones are
  // found by EquivalentResources.
  std::span<const ResourceDesc* const> served_versions;

  // It is stored in another version than this one.
  bool IsConverted() const { return storage_type && storage_type != type; }

  bool HasSubresource(std::string_view name) const {
    for (const auto& s : subresources)
      if (s.name == name) return true;
    return false;
  }
};

// Every built-in resource, in the order of discovery.
std::span<const ResourceDesc> BuiltinResources();
// A built-in resource by its place in the URL; null when there is none.
const ResourceDesc* FindResource(std::string_view group, std::string_view version, std::string_view plural);
// The resource whose version `resource` is stored in: itself, unless it is converted.
const ResourceDesc& StoredResource(const ResourceDesc& resource);
// What serves the same objects, `resource` among them: its other versions, under another group too.
std::vector<const ResourceDesc*> EquivalentResources(const ResourceDesc& resource);
// The one of them in the group and version `version`; `resource` itself where there is none.
const ResourceDesc& ResourceIn(const ResourceDesc& resource, GroupVersion version);
// The TypeDesc of a built-in type by its name ("core_v1.Pod"); null when there is none.
const TypeDesc* FindType(std::string_view name);
// The root type of a built-in kind; null when there is none. The options of requests
// (DeleteOptions and the like) are kinds of every group and version.
const TypeDesc* FindKind(std::string_view group, std::string_view version, std::string_view kind);

}  // namespace keelson::api
