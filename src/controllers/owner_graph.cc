#include "controllers/owner_graph.h"

#include <algorithm>
#include <utility>

namespace keelson::controllers {

const OwnerGraph::Node* OwnerGraph::Find(std::string_view uid) const {
  const auto it = nodes_.find(uid);
  return it == nodes_.end() ? nullptr : it->second.get();
}

std::vector<std::string> OwnerGraph::Set(const ObjectChange& change) {
  const api::Ownership& ownership = change.ownership;
  std::vector<std::string> added;
  if (ownership.owners.empty() && !ownership.AwaitsDependents()) {
    Remove(change.uid);
    return added;
  }
  auto& slot = nodes_[std::string(change.uid)];
  if (!slot) slot = std::make_unique<Node>(Node{.object = change.Ref()});
  Node& node = *slot;
  std::vector<Edge> owners;
  owners.reserve(ownership.owners.size());
  for (const api::OwnerReference& owner : ownership.owners)
    owners.push_back({std::string(owner.uid), owner.blocks_deletion});
  for (const Edge& edge : owners)
    if (std::ranges::find(node.owners, edge.owner, &Edge::owner) == node.owners.end())
      added.push_back(edge.owner);
  if (owners != node.owners) {
    Unlink(node);
    node.owners = std::move(owners);
    for (const Edge& edge : node.owners) {
      Dependents& siblings = dependents_[edge.owner];
      siblings.nodes.insert(&node);
      siblings.blocking += edge.blocks;
    }
  }
  node.deleting_dependents = ownership.deleting && ownership.foreground;
  return added;
}

void OwnerGraph::Remove(std::string_view uid) {
  const auto it = nodes_.find(uid);
  if (it == nodes_.end()) return;
  Unlink(*it->second);
  nodes_.erase(it);
}

void OwnerGraph::Unlink(const Node& node) {
  for (const Edge& edge : node.owners) {
    const auto it = dependents_.find(edge.owner);
    if (it == dependents_.end()) continue;
    it->second.nodes.erase(&node);
    it->second.blocking -= edge.blocks;
    if (it->second.nodes.empty()) dependents_.erase(it);
  }
}

std::vector<const OwnerGraph::Node*> OwnerGraph::DependentsOf(std::string_view uid) const {
  const auto it = dependents_.find(uid);
  if (it == dependents_.end()) return {};
  return {it->second.nodes.begin(), it->second.nodes.end()};
}

size_t OwnerGraph::CountDependents(std::string_view uid) const {
  const auto it = dependents_.find(uid);
  return it == dependents_.end() ? 0 : it->second.nodes.size();
}

size_t OwnerGraph::CountBlocking(std::string_view uid) const {
  const auto it = dependents_.find(uid);
  return it == dependents_.end() ? 0 : it->second.blocking;
}

bool OwnerGraph::MarkSwept(std::string_view uid) {
  const auto it = nodes_.find(uid);
  return it == nodes_.end() || !std::exchange(it->second->swept, true);
}

}  // namespace keelson::controllers
