#include "endpoints/discovery/group.h"

#include <algorithm>
#include <utility>

#include "api/codec/json_writer.h"
#include "api/meta/version_order.h"
#include "api/types/custom_type.h"
#include "base/string_hash.h"
#include "endpoints/decode.h"

namespace keelson::endpoints::discovery {
namespace {

using api::json::JsonWriter;

// The group of APIServices has none of its own and comes first. Custom resources are registered with the
// others, soon after they are served.
constexpr int32_t kFirst = 1 << 30;

// The subresources that are served, by name.
std::vector<const api::SubresourceDesc*> SubresourcesOf(const ServedResource& resource) {
  std::vector<const api::SubresourceDesc*> served;
  for (const api::SubresourceDesc& sub : resource.desc->subresources)
    if (resource.subresources.contains(sub.name)) served.push_back(&sub);
  if (!api::IsCustom(*resource.desc)) std::ranges::sort(served, {}, &api::SubresourceDesc::name);
  return served;
}

// Its kind belongs to another group; group and version are told only then.
bool Foreign(const api::SubresourceDesc& sub, const api::ResourceDesc& resource) {
  return !sub.group.empty() && sub.group != resource.group;
}

void WriteResource(const ServedResource& resource, JsonWriter& json) {
  const api::ResourceDesc& desc = *resource.desc;
  json.BeginObject().Member("name", desc.plural).Member("singularName", desc.singular);
  json.Key("namespaced").Bool(desc.namespaced).Member("kind", desc.kind).Member("verbs", desc.verbs);
  if (!desc.short_names.empty()) json.Member("shortNames", desc.short_names);
  if (!desc.categories.empty()) json.Member("categories", desc.categories);
  if (!desc.storage_version_hash.empty()) json.Member("storageVersionHash", desc.storage_version_hash);
  json.EndObject();
  for (const api::SubresourceDesc* sub : SubresourcesOf(resource)) {
    json.BeginObject().Member("name", std::string(desc.plural) + "/" + std::string(sub->name));
    json.Member("singularName", "").Key("namespaced").Bool(desc.namespaced);
    if (Foreign(*sub, desc)) json.Member("group", sub->group).Member("version", sub->version);
    json.Member("kind", sub->kind).Member("verbs", sub->verbs).EndObject();
  }
}

void WriteResponseKind(std::string_view group, std::string_view version, std::string_view kind,
                       JsonWriter& json) {
  json.Key("responseKind").BeginObject();
  json.Member("group", group).Member("version", version).Member("kind", kind).EndObject();
}

void WriteAggregatedResource(const ServedResource& resource, JsonWriter& json) {
  const api::ResourceDesc& desc = *resource.desc;
  json.BeginObject().Member("resource", desc.plural);
  const bool custom = api::IsCustom(desc);  // whose kinds are named in full
  WriteResponseKind(custom ? desc.group : "", custom ? desc.version : "", desc.kind, json);
  json.Member("scope", desc.namespaced ? "Namespaced" : "Cluster").Member("singularResource", desc.singular);
  json.Member("verbs", desc.verbs);
  if (!desc.short_names.empty()) json.Member("shortNames", desc.short_names);
  if (!desc.categories.empty()) json.Member("categories", desc.categories);
  if (auto subs = SubresourcesOf(resource); !subs.empty()) {
    json.Key("subresources").BeginArray();
    for (const api::SubresourceDesc* sub : subs) {
      json.BeginObject().Member("subresource", sub->name);
      bool foreign = custom || Foreign(*sub, desc);
      WriteResponseKind(foreign ? sub->group : "", foreign ? sub->version : "", sub->kind, json);
      json.Member("verbs", sub->verbs).EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

base::Slice WriteResourceList(std::string_view group, std::string_view version,
                              const std::vector<const ServedResource*>& resources) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIResourceList");
  // The core group predates apiVersion here.
  if (!group.empty()) json.Member("apiVersion", "v1");
  json.Member("groupVersion", GroupVersionString(group, version)).Key("resources").BeginArray();
  for (const ServedResource* resource : resources) WriteResource(*resource, json);
  json.EndArray().EndObject();
  out.Append('\n');
  return out.Take();
}

void WriteGroupVersion(std::string_view group, std::string_view version, JsonWriter& json) {
  json.BeginObject().Member("groupVersion", GroupVersionString(group, version));
  json.Member("version", version).EndObject();
}

void WriteGroupMembers(std::string_view group, const std::vector<std::string_view>& versions,
                       JsonWriter& json) {
  json.Member("name", group).Key("versions").BeginArray();
  for (const std::string_view version : versions) WriteGroupVersion(group, version, json);
  json.EndArray().Key("preferredVersion");
  WriteGroupVersion(group, versions.front(), json);
}

}  // namespace

int32_t Group::Version::group_priority() const {
  if (registered) return registered->group_priority;
  const bool custom = !resources.empty() && api::IsCustom(*resources.front()->desc);
  return custom ? kCustomGroupPriority : kFirst;
}

int32_t Group::Version::priority() const {
  return registered ? registered->version_priority : kCustomVersionPriority;
}

uint64_t Group::HashOf(std::string_view name) { return base::StringHash()(name); }

Group::Group(Parts parts) : parts_(std::move(parts)), hash_(HashOf(parts_.name)) {
  AddVersions();
  bool first = true;
  for (const Version& version : versions_) {
    remote_ = remote_ || version.remote();
    Place place{version.group_priority(), std::string(version.name).append(".").append(name())};
    priority_ = first ? place.priority : std::max(priority_, place.priority);
    if (std::exchange(first, false) || place < place_) place_ = std::move(place);
  }
}

Group::Version& Group::VersionNamed(std::string_view name) {
  const auto found = std::ranges::find(versions_, name, &Version::name);
  return found == versions_.end() ? versions_.emplace_back(name) : *found;
}

// A version that a backend serves is not served here.
void Group::AddVersions() {
  for (const ServedResource* const resource : parts_.built_in)
    VersionNamed(resource->desc->version).resources.push_back(resource);
  std::vector<const ServedResource*> custom;
  for (const ServedResourcePtr& resource : parts_.custom) custom.push_back(resource.get());
  std::ranges::stable_sort(custom, [](const ServedResource* a, const ServedResource* b) {
    return a->desc->version != b->desc->version && api::BetterVersion(a->desc->version, b->desc->version);
  });
  for (const ServedResource* const resource : custom)
    VersionNamed(resource->desc->version).resources.push_back(resource);
  for (Version& version : versions_)
    std::ranges::sort(version.resources, {}, [](const ServedResource* r) { return r->desc->plural; });
  for (const RegisteredVersion& registered : parts_.registered) {
    if (registered.remote) {
      Version& version = VersionNamed(registered.version);
      version.registered = &registered;
      version.resources.clear();
    } else if (const auto found = std::ranges::find(versions_, registered.version, &Version::name);
               found != versions_.end() && !found->registered) {
      found->registered = &registered;
    }
  }
}

const ServedResource* Group::FindCustom(std::string_view version, std::string_view plural) const {
  const auto its = std::ranges::find(versions_, version, &Version::name);
  if (its == versions_.end()) return nullptr;
  const auto plural_of = [](const ServedResource* r) { return r->desc->plural; };
  const auto found = std::ranges::lower_bound(its->resources, plural, {}, plural_of);
  return found == its->resources.end() || plural_of(*found) != plural ? nullptr : *found;
}

std::vector<const Group::Version*> Group::Ordered(bool by_priority) const {
  std::vector<const Version*> ordered;
  for (const Version& version : versions_) ordered.push_back(&version);
  if (!by_priority) return ordered;
  std::ranges::stable_sort(ordered, [](const Version* a, const Version* b) {
    const int32_t x = a->priority(), y = b->priority();
    return x != y ? x > y : a->name != b->name && api::BetterVersion(a->name, b->name);
  });
  return ordered;
}

std::vector<std::string_view> Group::Versions() const {
  std::vector<std::string_view> names;
  for (const Version* const version : Ordered(parts_.order.listed_by_priority))
    names.push_back(version->name);
  return names;
}

base::Slice Group::Document() const {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroup").Member("apiVersion", "v1");
  WriteGroupMembers(name(), Versions(), json);
  json.EndObject();
  out.Append('\n');
  return out.Take();
}

std::optional<base::Slice> Group::VersionDocument(std::string_view version) const {
  const auto found = std::ranges::find(versions_, version, &Version::name);
  if (found == versions_.end() || found->remote()) return std::nullopt;
  std::call_once(found->made,
                 [&] { found->document = WriteResourceList(name(), found->name, found->resources); });
  return found->document;
}

const Group::AllItems& Group::Items() const {
  std::call_once(items_made_, [this] { items_ = {WriteListed(), WriteAggregated()}; });
  return items_;
}

base::Slice Group::WriteListed() const {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject();
  WriteGroupMembers(name(), Versions(), json);
  json.EndObject();
  return base::Slice::Copy(out.view());  // without the room that the builder has left
}

base::Slice Group::WriteAggregated() const {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Key("metadata").BeginObject();
  if (!name().empty()) json.Member("name", name());
  json.EndObject().Key("versions").BeginArray();
  for (const Version* const version : Ordered(parts_.order.aggregated_by_priority)) {
    json.BeginObject().Member("version", version->name);
    if (!version->remote()) {
      json.Key("resources").BeginArray();
      for (const ServedResource* resource : version->resources) WriteAggregatedResource(*resource, json);
      json.EndArray();
    } else if (const std::string_view resources = version->registered->remote->view(); resources != "[]") {
      json.Key("resources").Raw(resources);
    }
    const bool stale = version->remote() && version->registered->stale;
    json.Member("freshness", stale ? "Stale" : "Current").EndObject();
  }
  json.EndArray().EndObject();
  return base::Slice::Copy(out.view());
}

}  // namespace keelson::endpoints::discovery
