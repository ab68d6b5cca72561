#include "auth/authz/node/graph.h"

#include <algorithm>
#include <utility>

#include "auth/authz/hash.h"

namespace keelson::auth::node {
namespace {

auto IsEdge(const ObjectName& object, std::string_view node) {
  return [&object, node](const Edge& edge) { return edge.Is(object.kind, object.ns, object.name, node); };
}

ObjectName VolumeNamed(const std::string& name) { return {Kind::kVolume, "", name}; }

}  // namespace

Edge::Edge(const ObjectName& object, std::string_view node)
    : object_(object), node_(node), hash_(HashOf(object.kind, object.ns, object.name, node)) {}

uint64_t Edge::HashOf(Kind kind, std::string_view ns, std::string_view name, std::string_view node) {
  const char letter[] = {static_cast<char>('a' + static_cast<int>(kind)), '/'};
  uint64_t hash = HashBytes(ns, HashBytes(std::string_view(letter, 2)));
  hash = HashBytes(name, HashBytes("/", hash));
  return Scatter(HashBytes(node, HashBytes("/", hash)));
}

bool Relations::Related(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const {
  return edges.Find(Edge::HashOf(kind, ns, name, node),
                    [&](const Edge& edge) { return edge.Is(kind, ns, name, node); }) != nullptr;
}

void Graph::Count(const ObjectName& object, const std::string& node, int by) {
  int& count = counts_[object][node];
  const bool was = count > 0;
  count += by;
  const bool is = count > 0;
  if (!is) {
    const auto counts = counts_.find(object);
    counts->second.erase(node);
    if (counts->second.empty()) counts_.erase(counts);
  }
  if (was == is) return;
  changed_ = true;
  if (is)
    edges_.Put(base::IntrusivePtr<const Edge>(new Edge(object, node)), IsEdge(object, node));
  else
    edges_.Remove(Edge::HashOf(object.kind, object.ns, object.name, node), IsEdge(object, node));
  if (object.kind != Kind::kClaim) return;
  const auto bound = volumes_of_claim_.find(object);
  if (bound == volumes_of_claim_.end()) return;
  for (const std::string& volume : bound->second) CountVolume(volumes_.at(volume), node, is ? 1 : -1);
}

void Graph::CountVolume(const Volume& volume, const std::string& node, int by) {
  for (const ObjectName& object : volume.objects) Count(object, node, by);
}

void Graph::Put(const ObjectName& source, std::string node, std::vector<ObjectName> objects) {
  missing_.erase(source);
  Remove(source);
  if (node.empty()) return;
  for (const ObjectName& object : objects) Count(object, node, 1);
  sources_[source] = {std::move(node), std::move(objects)};
}

void Graph::Remove(const ObjectName& source) {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return;
  Unrelate(found->second);
  sources_.erase(found);
}

void Graph::Unrelate(const Source& source) {
  for (const ObjectName& object : source.objects) Count(object, source.node, -1);
}

void Graph::PutVolume(const std::string& name, ObjectName claim, std::vector<ObjectName> secrets) {
  missing_.erase(VolumeNamed(name));
  RemoveVolume(name);
  if (claim.name.empty()) return;
  secrets.push_back(VolumeNamed(name));
  const Volume& volume = volumes_[name] = {std::move(claim), std::move(secrets)};
  volumes_of_claim_[volume.claim].push_back(name);
  const auto counts = counts_.find(volume.claim);
  if (counts == counts_.end()) return;
  const Counts nodes = counts->second;
  for (const auto& [node, count] : nodes) CountVolume(volume, node, 1);
}

void Graph::RemoveVolume(const std::string& name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  Unbind(name, found->second);
  volumes_.erase(found);
}

void Graph::Unbind(const std::string& name, const Volume& volume) {
  if (const auto counts = counts_.find(volume.claim); counts != counts_.end()) {
    const Counts nodes = counts->second;
    for (const auto& [node, count] : nodes) CountVolume(volume, node, -1);
  }
  const auto bound = volumes_of_claim_.find(volume.claim);
  std::erase(bound->second, name);
  if (bound->second.empty()) volumes_of_claim_.erase(bound);
}

void Graph::StartRelist(Kind kind) {
  std::erase_if(missing_, [&](const auto& entry) { return entry.first.kind == kind; });
  if (kind == Kind::kVolume)
    for (const auto& [name, volume] : volumes_) missing_.emplace(VolumeNamed(name), true);
  else
    for (const auto& [source, what] : sources_)
      if (source.kind == kind) missing_.emplace(source, true);
}

void Graph::FinishRelist(Kind kind) {
  std::vector<ObjectName> gone;
  for (const auto& [object, missing] : missing_)
    if (object.kind == kind) gone.push_back(object);
  for (const ObjectName& object : gone) {
    missing_.erase(object);
    kind == Kind::kVolume ? RemoveVolume(object.name) : Remove(object);
  }
}

void Graph::Publish() {
  if (!std::exchange(changed_, false)) return;
  auto next = std::make_unique<Relations>();
  next->edges = edges_;
  published_.Replace(next.release());
}

}  // namespace keelson::auth::node
