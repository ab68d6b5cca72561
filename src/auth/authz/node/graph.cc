#include "auth/authz/node/graph.h"

#include <algorithm>
#include <utility>

#include "auth/authz/hash.h"

namespace keelson::auth::node {
namespace {

std::string Joined(const ObjectName& object, std::string_view node) {
  std::string text;
  text.reserve(object.ns.size() + object.name.size() + node.size());
  return text.append(object.ns).append(object.name).append(node);
}

uint64_t HashOfObject(Kind kind, std::string_view ns, std::string_view name) {
  const char letter[] = {static_cast<char>('a' + static_cast<int>(kind)), '/'};
  return HashBytes(name, HashBytes("/", HashBytes(ns, HashBytes(std::string_view(letter, 2)))));
}

auto IsEdge(Kind kind, std::string_view ns, std::string_view name, std::string_view node) {
  return [=](const Edge& edge) { return edge.Is(kind, ns, name, node); };
}

ObjectName VolumeNamed(const std::string& name) { return {Kind::kVolume, "", name}; }

}  // namespace

Edge::Edge(const ObjectName& object, std::string_view node, uint64_t hash)
    : kind_(object.kind),
      ns_size_(static_cast<uint32_t>(object.ns.size())),
      name_size_(static_cast<uint32_t>(object.name.size())),
      hash_(hash),
      text_(Joined(object, node)) {}

uint64_t Edge::HashOf(Kind kind, std::string_view ns, std::string_view name, std::string_view node) {
  return Scatter(HashBytes(node, HashBytes("/", HashOfObject(kind, ns, name))));
}

bool Relations::Related(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const {
  return edges.Find(Edge::HashOf(kind, ns, name, node), IsEdge(kind, ns, name, node)) != nullptr;
}

size_t Graph::HashSource::operator()(const Source& source) const {
  const Edge& own = *source.edges.front();
  return HashOfObject(own.kind(), own.ns(), own.name());
}

size_t Graph::HashSource::operator()(const ObjectName& name) const {
  return HashOfObject(name.kind, name.ns, name.name);
}

bool Graph::EqualSource::operator()(const Source& source, const ObjectName& name) const {
  return source.edges.front()->IsOf(name.kind, name.ns, name.name);
}

bool Graph::EqualSource::operator()(const Source& a, const Source& b) const {
  const Edge& own = *b.edges.front();
  return a.edges.front()->IsOf(own.kind(), own.ns(), own.name());
}

Graph::EdgePtr Graph::Relate(const ObjectName& object, std::string_view node) {
  const uint64_t hash = Edge::HashOf(object.kind, object.ns, object.name, node);
  const auto is = IsEdge(object.kind, object.ns, object.name, node);
  EdgePtr edge(edges_.Find(hash, is));
  if (!edge) {
    edge = EdgePtr(new Edge(object, node, hash));
    edges_.Put(edge, is);
    changed_ = true;
  }
  if (++edge->paths_ == 1 && object.kind == Kind::kClaim) RelateVolumes(edge);
  return edge;
}

void Graph::Unrelate(const EdgePtr& edge) {
  if (--edge->paths_ > 0) return;
  edges_.Remove(edge->hash(), [&](const Edge& other) { return &other == edge.get(); });
  changed_ = true;
  if (edge->kind() == Kind::kClaim) UnrelateVolumes(edge);
}

void Graph::RelateVolumes(const EdgePtr& claim) {
  const ObjectName name = claim->object();
  nodes_of_claim_[name].push_back(claim);
  const auto bound = volumes_of_claim_.find(name);
  if (bound == volumes_of_claim_.end()) return;
  for (const std::string& volume : bound->second) RelateVolume(volumes_.at(volume), claim->node());
}

void Graph::UnrelateVolumes(const EdgePtr& claim) {
  const ObjectName name = claim->object();
  const auto nodes = nodes_of_claim_.find(name);
  std::erase(nodes->second, claim);
  if (nodes->second.empty()) nodes_of_claim_.erase(nodes);
  const auto bound = volumes_of_claim_.find(name);
  if (bound == volumes_of_claim_.end()) return;
  for (const std::string& volume : bound->second) UnrelateVolume(volumes_.at(volume), claim->node());
}

void Graph::RelateVolume(const Volume& volume, std::string_view node) {
  for (const ObjectName& object : volume.objects) Relate(object, node);
}

void Graph::UnrelateVolume(const Volume& volume, std::string_view node) {
  for (const ObjectName& object : volume.objects) {
    const uint64_t hash = Edge::HashOf(object.kind, object.ns, object.name, node);
    const EdgePtr edge(edges_.Find(hash, IsEdge(object.kind, object.ns, object.name, node)));
    Unrelate(edge);
  }
}

void Graph::Put(std::string_view node, const std::vector<ObjectName>& objects) {
  // What stays related must not be seen to go.
  Source source{.edges = {}, .round = RelistOf(objects.front().kind).round};
  source.edges.reserve(objects.size());
  for (const ObjectName& object : objects) source.edges.push_back(Relate(object, node));
  Remove(objects.front());
  sources_.insert(std::move(source));
}

void Graph::Remove(const ObjectName& source) {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return;
  for (const EdgePtr& edge : found->edges) Unrelate(edge);
  sources_.erase(found);
}

void Graph::PutVolume(const std::string& name, ObjectName claim, std::vector<ObjectName> secrets) {
  RemoveVolume(name);
  if (claim.name.empty()) return;
  secrets.push_back(VolumeNamed(name));
  const Volume& volume =
      volumes_[name] = {std::move(claim), std::move(secrets), RelistOf(Kind::kVolume).round};
  volumes_of_claim_[volume.claim].push_back(name);
  if (const auto nodes = nodes_of_claim_.find(volume.claim); nodes != nodes_of_claim_.end())
    for (const EdgePtr& edge : nodes->second) RelateVolume(volume, edge->node());
}

void Graph::RemoveVolume(const std::string& name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  Unbind(name, found->second);
  volumes_.erase(found);
}

void Graph::Unbind(const std::string& name, const Volume& volume) {
  if (const auto nodes = nodes_of_claim_.find(volume.claim); nodes != nodes_of_claim_.end())
    for (const EdgePtr& edge : nodes->second) UnrelateVolume(volume, edge->node());
  const auto bound = volumes_of_claim_.find(volume.claim);
  std::erase(bound->second, name);
  if (bound->second.empty()) volumes_of_claim_.erase(bound);
}

void Graph::StartRelist(Kind kind) {
  ++RelistOf(kind).round;
  RelistOf(kind).running = true;
}

void Graph::FinishRelist(Kind kind) {
  if (!std::exchange(RelistOf(kind).running, false)) return;
  const uint32_t round = RelistOf(kind).round;
  if (kind == Kind::kVolume) {
    std::vector<std::string> gone;
    for (const auto& [name, volume] : volumes_)
      if (volume.round != round) gone.push_back(name);
    for (const std::string& name : gone) RemoveVolume(name);
    return;
  }
  std::vector<ObjectName> gone;
  for (const Source& source : sources_)
    if (source.edges.front()->kind() == kind && source.round != round)
      gone.push_back(source.edges.front()->object());
  for (const ObjectName& source : gone) Remove(source);
}

void Graph::Publish() {
  if (!std::exchange(changed_, false)) return;
  auto next = std::make_unique<Relations>();
  next->edges = edges_;
  published_.Replace(next.release());
}

}  // namespace keelson::auth::node
