#include "aggregator/peer_documents.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/generated/apidiscovery_v2.h"

namespace keelson::aggregator {
namespace {

using namespace api::apidiscovery_v2;
using api::json::JsonWriter;
using Resource = ServedGroup::Resource;
using Version = ServedGroup::Version;

template <class View>
std::string EncodedJson(const View& view) {
  base::BufferBuilder out;
  api::json::Encode(*view.node(), out);
  return std::string(out.view());
}

template <class Element>
std::vector<std::string> NamesOf(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

// Lays the elements of `other` over those of `one`: what both have becomes what `merge` makes of the two.
template <class Element, class Merge>
std::vector<Element> Laid(std::vector<Element> one, const std::vector<Element>& other, Merge merge) {
  const std::vector<std::string> order = MergeOrders({NamesOf(one), NamesOf(other)});
  std::map<std::string_view, Element*> known;
  for (Element& element : one) known.emplace(element.name, &element);
  std::map<std::string, Element> all;
  for (const Element& element : other) {
    const auto found = known.find(element.name);
    all.emplace(element.name, found == known.end() ? element : merge(*found->second, element));
  }
  for (Element& element : one) all.emplace(element.name, std::move(element));
  std::vector<Element> laid;
  for (const std::string& name : order)
    if (const auto found = all.find(name); found != all.end()) laid.push_back(std::move(found->second));
  return laid;
}

// The verbs and subresources of both, by name; a subresource of both is as the other has it.
Resource MergeResource(const Resource& one, const Resource& other) {
  if (one == other) return one;
  api::Arena arena;
  const auto mine = api::json::Decode(one.json, kAPIResourceDiscoveryType, arena, nullptr);
  const auto theirs = api::json::Decode(other.json, kAPIResourceDiscoveryType, arena, nullptr);
  if (!mine || !theirs) return one;
  APIResourceDiscoveryEditor merged(*mine, &arena), added(*theirs, &arena);
  std::set<std::string> verbs;
  std::map<std::string, api::Value> subresources;
  for (APIResourceDiscoveryEditor* const resource : {&merged, &added}) {
    for (const api::Value& verb : resource->verbs()) verbs.emplace(verb.string());
    for (auto sub : resource->edit_subresources())
      subresources.insert_or_assign(std::string(sub.subresource()), api::Value::Of(sub.node()));
  }
  merged.clear_verbs();
  for (const std::string& verb : verbs) merged.add_verbs(verb);
  merged.clear_subresources();
  for (const auto& [name, sub] : subresources) merged.mutable_subresources().Append(sub, arena);
  return {one.name, EncodedJson(merged)};
}

Version MergeVersion(const Version& one, const Version& other) {
  if (one == other) return one;
  return {one.name, one.freshness, Laid(one.resources, other.resources, MergeResource)};
}

ServedGroup MergeGroup(const ServedGroup& one, const ServedGroup& other) {
  if (one == other) return one;
  return {one.name, Laid(one.versions, other.versions, MergeVersion)};
}

void WriteGroup(const ServedGroup& group, JsonWriter& json) {
  json.BeginObject().Key("metadata").BeginObject().Member("name", group.name).EndObject();
  json.Key("versions").BeginArray();
  for (const Version& version : group.versions) {
    json.BeginObject().Member("version", version.name).Key("resources").BeginArray();
    for (const Resource& resource : version.resources) json.Raw(resource.json);
    json.EndArray().Member("freshness", version.freshness).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

base::Result<ServedGroups, std::string> ReadServedGroups(std::string_view json) {
  api::Arena arena;
  const auto meta = api::json::PeekTypeMeta(json);
  if (!meta) return base::Err(meta.error().message);
  if (meta->kind != "APIGroupDiscoveryList")
    return base::Err("expected APIGroupDiscoveryList, got \"" + meta->kind + "\"");
  const auto root = api::json::Decode(json, kAPIGroupDiscoveryListType, arena, nullptr);
  if (!root) return base::Err(root.error().message);
  ServedGroups groups;
  std::set<std::string> seen;
  for (const auto group : APIGroupDiscoveryListView(*root).items()) {
    ServedGroup served{.name = std::string(group.metadata().name())};
    if (!seen.insert(served.name).second) continue;
    for (const auto version : group.versions()) {
      Version known{.name = std::string(version.version()), .freshness = std::string(version.freshness())};
      for (const auto resource : version.resources())
        known.resources.push_back({std::string(resource.resource()), EncodedJson(resource)});
      served.versions.push_back(std::move(known));
    }
    groups.push_back(std::move(served));
  }
  return groups;
}

std::vector<std::string> MergeOrders(const std::vector<std::vector<std::string>>& lists) {
  std::map<std::string, std::set<std::string>> followers;
  std::map<std::string, size_t> before;  // how many come directly before a name
  for (const auto& list : lists)
    for (size_t i = 0; i < list.size(); ++i) {
      followers[list[i]];
      before[list[i]];
      if (i + 1 < list.size() && followers[list[i]].insert(list[i + 1]).second) ++before[list[i + 1]];
    }
  for (const auto& list : lists)
    if (list.size() == followers.size() && std::set(list.begin(), list.end()).size() == list.size())
      return list;
  std::set<std::string> ready;
  for (const auto& [name, count] : before)
    if (count == 0) ready.insert(name);
  std::vector<std::string> order;
  while (!ready.empty()) {
    order.push_back(std::move(ready.extract(ready.begin()).value()));
    for (const std::string& next : followers[order.back()])
      if (--before[next] == 0) ready.insert(next);
  }
  if (order.size() == followers.size()) return order;
  order.clear();
  for (const auto& [name, next] : followers) order.push_back(name);
  return order;
}

std::optional<base::Slice> MergeServedGroups(const std::vector<const ServedGroups*>& servers, size_t own) {
  std::map<std::string, ServedGroup> merged;
  std::vector<std::vector<std::string>> orders;
  for (const ServedGroups* const groups : servers) {
    for (const ServedGroup& group : *groups) {
      const auto [known, fresh] = merged.try_emplace(group.name, group);
      if (!fresh) known->second = MergeGroup(known->second, group);
    }
    orders.push_back(NamesOf(*groups));
  }
  const bool same_names =
      std::ranges::all_of(orders, [&](const auto& order) { return order == orders[own]; });
  ServedGroups all;
  for (const std::string& name : same_names ? orders[own] : MergeOrders(orders))
    all.push_back(std::move(merged[name]));
  if (all == *servers[own]) return std::nullopt;
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject().Member("kind", "APIGroupDiscoveryList").Member("apiVersion", "apidiscovery.k8s.io/v2");
  json.Key("metadata").BeginObject().EndObject().Key("items").BeginArray();
  for (const ServedGroup& group : all) WriteGroup(group, json);
  json.EndArray().EndObject();
  out.Append('\n');
  return out.Take();
}

}  // namespace keelson::aggregator
